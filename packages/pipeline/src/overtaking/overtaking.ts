import { isJsonObject } from '@tributary/kernel'

/**
 * Of a partition, the workspaces whose requests wait while those of the others are processed before them. From `from` on the partition
 * is read twice: ahead, where what is of these workspaces is passed over, and behind, where only that is processed. Both meet at `until`.
 */
export type Overtaking = {
  readonly from: number
  /** Workspaces that are overtaken, each from an offset on. */
  readonly workspaces: ReadonlyMap<string, number>
  /** Undefined as long as nobody knows where it ends. */
  readonly until: number | undefined
}

type Place = { readonly offset: number; readonly key: string }

/** Whether a request is one of those that are overtaken. */
export const isOvertaken = ({ workspaces }: Pick<Overtaking, 'workspaces'>, { offset, key }: Place): boolean =>
  offset >= (workspaces.get(key) ?? Number.POSITIVE_INFINITY)

/** Whether the reading ahead passes a request over, or the one behind does. What lies before both, or after them, is processed behind. */
export const isPassedOver = (overtaking: Overtaking, request: Place, reading: 'ahead' | 'behind'): boolean => {
  const { from, until = Number.POSITIVE_INFINITY } = overtaking
  if (request.offset < from || request.offset >= until) return reading === 'ahead'
  return isOvertaken(overtaking, request) === (reading === 'ahead')
}

/** As it is kept beside the position of its partition; '' for none. */
export const formatOvertaking = (overtaking: Overtaking | undefined): string =>
  overtaking === undefined
    ? ''
    : JSON.stringify({ ...overtaking, workspaces: Object.fromEntries(overtaking.workspaces) })

/** What was kept; undefined for none. Throws for what is none. */
export const parseOvertaking = (text: string): Overtaking | undefined => {
  if (text === '') return undefined
  const value: unknown = JSON.parse(text)
  if (!isJsonObject(value) || !isJsonObject(value.workspaces) || typeof value.from !== 'number')
    throw new Error('What is kept of a partition says nothing of workspaces that are overtaken')
  const workspaces = new Map(Object.entries(value.workspaces).map(([key, offset]) => [key, Number(offset)]))
  return { from: value.from, workspaces, until: typeof value.until === 'number' ? value.until : undefined }
}
