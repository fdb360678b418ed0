import { type FoundObject, matchScore } from '@tributary/contract'
import type { Recent } from '../../lib/browser/recent.ts'
import type { CommandEntry } from '../../ui/lists/command-list.tsx'

/** An entry with its heading and its additional search words. */
export type Command = CommandEntry & { heading: string; words?: string; object?: FoundObject }

/** Added to the score of the text match of an entry that was used recently. */
const recentBonus = 12
const recentShown = 5
/** Maximum number of objects that are shown before any input. */
const fewObjects = 8
/** Maximum number of entries below each heading during a search. */
const perHeading = 8

const scoreOf = (command: Command, text: string): number => {
  const whole = [command.label, command.detail, command.words].filter((part) => part !== undefined).join(' ')
  return Math.max(matchScore(command.label, text), matchScore(whole, text) * 0.6)
}

type Group = { heading: string; items: readonly Command[] }

const underHeadings = (commands: readonly Command[]): Group[] => {
  const groups = new Map<string, Command[]>()
  for (const command of commands) {
    const group = groups.get(command.heading) ?? []
    groups.set(command.heading, group)
    group.push(command)
  }
  return [...groups].map(([heading, items]) => ({ heading, items }))
}

/**
 * Returns the entries of the palette before any input: the most recently used ones, then all entries except those that
 * only a search shows.
 */
const atRest = (commands: readonly Command[], objects: readonly Command[], recent: readonly Recent[]): Group[] => {
  const known = new Map([...objects, ...commands].map((command) => [command.id, command]))
  const used = recent.flatMap(({ id }) => known.get(id) ?? []).slice(0, recentShown)
  const usedIds = new Set(used.map(({ id }) => id))
  const further = (objects.length <= fewObjects ? objects : []).filter(({ id }) => !usedIds.has(id))
  return underHeadings([
    ...used.map((command) => ({ ...command, heading: 'Recent' })),
    ...further,
    ...commands.filter(({ id }) => !usedIds.has(id)),
  ])
}

/**
 * Returns the entries of the palette that match a text. `commands` are pages and actions, `hidden` those that only a
 * search shows, `objects` the objects that may match. The heading with the best match comes first, and below each
 * heading its best match. If two entries match equally, the one that was used last comes first.
 */
export const commandGroups = (
  text: string,
  {
    commands,
    hidden,
    objects,
    recent,
  }: {
    commands: readonly Command[]
    hidden: readonly Command[]
    objects: readonly Command[]
    recent: readonly Recent[]
  },
): Group[] => {
  if (text.trim() === '') return atRest(commands, objects, recent)
  const order = new Map(recent.map(({ id }, index) => [id, index]))
  const bonus = (id: string): number => {
    const place = order.get(id)
    return place === undefined ? 0 : recentBonus - place
  }
  const ranked = [...objects, ...commands, ...hidden]
    .map((command) => ({ command, score: scoreOf(command, text) }))
    .filter(({ score }) => score > 0)
    .map(({ command, score }) => ({ command, score: score + bonus(command.id) }))
    .sort((one, other) => other.score - one.score)
  return underHeadings(ranked.map(({ command }) => command)).map(({ heading, items }) => ({
    heading,
    items: items.slice(0, perHeading),
  }))
}
