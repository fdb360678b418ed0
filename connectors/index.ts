export { listedDestinations, listedSources } from './catalog.generated.ts'

/** The file of a connector's logo. */
export const logoFile = (kind: 'destinations' | 'sources', slug: string): URL =>
  new URL(`./${kind}/${slug}/logo.svg`, import.meta.url)
