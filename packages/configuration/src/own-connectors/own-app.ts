/** A version of a destination that a workspace describes itself. */
export type OwnVersion = { readonly id: string; readonly version: number }

const form = /^own-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-([1-9][0-9]{0,3})$/

/** Returns the app of destinations that use a version of an own connector. */
export const ownApp = ({ id, version }: OwnVersion): string => `own-${id}-${version}`

/** Returns the start of all apps of an own connector. */
export const ownAppStart = (id: string): string => `own-${id}-`

/** Returns the version that an app names; undefined for an app of the product. */
export const ownVersionOf = (app: string): OwnVersion | undefined => {
  const [, id, version] = form.exec(app) ?? []
  return id === undefined ? undefined : { id, version: Number(version) }
}
