import { type PersonDataCounts, type PipelineEvent, pathOf } from '@tributary/contract'
import { isRecord } from '@tributary/kernel'

/** Limits: the levels below an event that are visited, the paths of one event, the counted paths, and those returned. */
const limits = { levels: 3, perEvent: 200, counted: 2000, returned: 200 } as const

/** The parts of events that can have data of people. */
const partsOf = ({ context, traits, properties }: PipelineEvent): [string[], unknown][] => [
  [['traits'], traits],
  [['context', 'traits'], isRecord(context) ? context['traits'] : undefined],
  [['properties'], properties],
]

/** Counts the paths of texts and numbers in events, so that they can be suggested. */
export const createReceivedPaths = () => {
  const counts = new Map<string, number>()
  return {
    add(event: PipelineEvent): void {
      let left: number = limits.perEvent
      const visit = (names: readonly string[], value: unknown, level: number): void => {
        if (!isRecord(value)) {
          const path = pathOf(names)
          if ((typeof value !== 'string' && typeof value !== 'number') || path.length > 300) return
          const known = counts.get(path)
          if (known !== undefined || counts.size < limits.counted) counts.set(path, (known ?? 0) + 1)
          return
        }
        if (level > limits.levels) return
        for (const name of Object.keys(value)) {
          if (left-- <= 0) return
          visit([...names, name], value[name], level + 1)
        }
      }
      for (const [names, value] of partsOf(event)) if (isRecord(value)) visit(names, value, 1)
    },
    /** Returns the most frequent paths, the most frequent first. */
    list: (): PersonDataCounts['received'] =>
      [...counts]
        .toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
        .slice(0, limits.returned)
        .map(([path, events]) => ({ path, events })),
  }
}
