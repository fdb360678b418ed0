import { isJsonObject } from '@tributary/kernel'

/**
 * The workspaces of a partition whose requests wait while requests of others are processed first. From `from` on, the
 * partition is read twice. The reading ahead skips the requests of these workspaces, and the reading behind processes
 * only those. Both meet at `until`.
 */
export type Overtaking = {
  readonly from: number
  /** Overtaken workspaces, each with the offset from which it is overtaken. */
  readonly workspaces: ReadonlyMap<string, number>
  /** The offset where both readings meet; undefined until it is known. */
  readonly until: number | undefined
}

type Place = { readonly offset: number; readonly key: string }

/** Whether a request belongs to an overtaken workspace. */
export const isOvertaken = ({ workspaces }: Pick<Overtaking, 'workspaces'>, { offset, key }: Place): boolean =>
  offset >= (workspaces.get(key) ?? Number.POSITIVE_INFINITY)

/** Whether a reading skips a request. The reading behind processes requests before and after the double reading. */
export const isPassedOver = (overtaking: Overtaking, request: Place, reading: 'ahead' | 'behind'): boolean => {
  const { from, until = Number.POSITIVE_INFINITY } = overtaking
  if (request.offset < from || request.offset >= until) return reading === 'ahead'
  return isOvertaken(overtaking, request) === (reading === 'ahead')
}

/** The text that is stored next to the position of the partition; '' without an overtaking. */
export const formatOvertaking = (overtaking: Overtaking | undefined): string =>
  overtaking === undefined
    ? ''
    : JSON.stringify({ ...overtaking, workspaces: Object.fromEntries(overtaking.workspaces) })

/** Parses the stored text; undefined for ''. Throws for any other text. */
export const parseOvertaking = (text: string): Overtaking | undefined => {
  if (text === '') return undefined
  const value: unknown = JSON.parse(text)
  if (!isJsonObject(value) || !isJsonObject(value.workspaces) || typeof value.from !== 'number')
    throw new Error('What is kept of a partition says nothing of workspaces that are overtaken')
  const workspaces = new Map(Object.entries(value.workspaces).map(([key, offset]) => [key, Number(offset)]))
  return { from: value.from, workspaces, until: typeof value.until === 'number' ? value.until : undefined }
}
