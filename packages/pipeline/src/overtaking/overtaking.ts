import { isJsonObject } from '@tributary/kernel'

/**
 * The overtaken workspaces of a partition: their requests wait while requests of other workspaces are processed first.
 * From the offset `from` on, the partition is read twice. The reading ahead skips the requests of the overtaken
 * workspaces, and the reading behind processes only those requests. The double reading ends at the offset `until`.
 */
export type Overtaking = {
  readonly from: number
  /** Overtaken workspaces, each with the offset from which it is overtaken. */
  readonly workspaces: ReadonlyMap<string, number>
  /** The offset at which the double reading ends; undefined until both readings have met. */
  readonly until: number | undefined
}

type Place = { readonly offset: number; readonly key: string }

/** Whether a request belongs to an overtaken workspace. */
export const isOvertaken = ({ workspaces }: Pick<Overtaking, 'workspaces'>, { offset, key }: Place): boolean =>
  offset >= (workspaces.get(key) ?? Number.POSITIVE_INFINITY)

/**
 * Whether a reading of a partition skips a request. Requests before and after the double reading are processed by the
 * reading behind.
 */
export const isPassedOver = (overtaking: Overtaking, request: Place, reading: 'ahead' | 'behind'): boolean => {
  const { from, until = Number.POSITIVE_INFINITY } = overtaking
  if (request.offset < from || request.offset >= until) return reading === 'ahead'
  return isOvertaken(overtaking, request) === (reading === 'ahead')
}

/** Returns the text of an overtaking, which is stored next to the position of the partition; '' for undefined. */
export const formatOvertaking = (overtaking: Overtaking | undefined): string =>
  overtaking === undefined
    ? ''
    : JSON.stringify({ ...overtaking, workspaces: Object.fromEntries(overtaking.workspaces) })

/** Parses the text of `formatOvertaking`; returns undefined for ''. Throws if the text is no overtaking. */
export const parseOvertaking = (text: string): Overtaking | undefined => {
  if (text === '') return undefined
  const value: unknown = JSON.parse(text)
  if (!isJsonObject(value) || !isJsonObject(value.workspaces) || typeof value.from !== 'number')
    throw new Error('What is kept of a partition says nothing of workspaces that are overtaken')
  const workspaces = new Map(Object.entries(value.workspaces).map(([key, offset]) => [key, Number(offset)]))
  return { from: value.from, workspaces, until: typeof value.until === 'number' ? value.until : undefined }
}
