import { groupOfPartition, type LogPosition, partitionOf } from '@tributary/storage'
import type { RoleThread } from '../roles/role-thread.ts'
import { type GroupQuestions, GroupUnowned } from './group-questions.ts'
import type { GroupRole, OwnedGroups } from './owned-groups.ts'

/** How a question to a role is asked of its groups, and what becomes of their answers. */
type Route =
  /** Of the group of a workspace, which `about` names. */
  | { kind: 'of-workspace' }
  /** Of all; the answers are put together. `unowned` passes over groups that nobody has. */
  | { kind: 'of-all'; combine(answers: unknown[]): unknown; unowned?: 'passed-over' }

const nothing = (): undefined => undefined
const side = (answers: unknown[]): unknown[] => answers.flat()
const sum = (answers: unknown[]): number => answers.reduce<number>((total, each) => total + Number(each), 0)

/** Every question that is asked of roles with groups. */
const routes: Readonly<Record<GroupRole, Readonly<Record<string, Route>>>> = {
  pipeline: {
    refresh: { kind: 'of-all', combine: nothing, unowned: 'passed-over' },
    'tell-destinations': { kind: 'of-workspace' },
    'stream-append': { kind: 'of-workspace' },
    'stream-begin-epoch': { kind: 'of-workspace' },
    'stream-last-sequences': { kind: 'of-workspace' },
    'stream-trim': { kind: 'of-all', combine: sum },
    idle: { kind: 'of-all', combine: nothing },
  },
  delivery: {
    refresh: { kind: 'of-all', combine: nothing, unowned: 'passed-over' },
    // What a delivery that does not run had in memory is gone, and it begins with what is known then.
    forget: { kind: 'of-all', combine: nothing, unowned: 'passed-over' },
    retry: { kind: 'of-workspace' },
    'take-up': { kind: 'of-workspace' },
    needed: { kind: 'of-all', combine: side },
    idle: { kind: 'of-all', combine: nothing },
  },
}

/** How long another process has to answer, ms: it may be writing to engines that are slow. */
const answerMs = 30_000

const workspaceOf = (question: string, about: unknown): string => {
  if (typeof about === 'object' && about !== null && 'workspaceId' in about) return String(about.workspaceId)
  throw new Error(`The question "${question}" names no workspace`)
}

/** A role whose work is shared by groups, as if it were one thread of this process. */
export type RoleGroups = RoleThread & {
  /** How many of its groups this process has, for people. */
  describe(): string
}

/**
 * A role whose groups are in this process or in others: each question goes to who has what it is about. `places` are what the journals of the role say, which need
 * nobody's answer.
 */
export const createRoleGroups = (deps: {
  role: GroupRole
  groups: number
  partitions: number
  owned: OwnedGroups
  /** Takes groups, of all roles together. */
  start: () => Promise<void>
  stop: () => Promise<void>
  questions: GroupQuestions
  places: () => Promise<readonly LogPosition[]>
}): RoleGroups => {
  const { role, groups, owned, questions, partitions } = deps
  const all = Array.from({ length: groups }, (_, group) => group)

  const askAll = async (question: string, about: unknown, route: Extract<Route, { kind: 'of-all' }>) => {
    const answers = await Promise.allSettled(all.map((group) => questions.ask(role, group, question, about, answerMs)))
    const given: unknown[] = []
    for (const each of answers) {
      if (each.status === 'fulfilled') given.push(each.value)
      else if (route.unowned === undefined || !(each.reason instanceof GroupUnowned)) throw each.reason
    }
    return route.combine(given)
  }

  return {
    start: deps.start,
    stop: deps.stop,
    running: () => owned.threads(role).every((thread) => thread.running()),
    describe: () => `has ${owned.threads(role).length} of ${groups}`,
    wake() {
      for (const thread of owned.threads(role)) thread.wake()
    },
    async ask(question, about) {
      if (question === 'positions') return await deps.places()
      const route = Object.hasOwn(routes[role], question) ? routes[role][question] : undefined
      if (route === undefined) throw new Error(`There is no way for the question "${question}" to the ${role}`)
      if (route.kind === 'of-all') return await askAll(question, about, route)
      const group = groupOfPartition(partitionOf(workspaceOf(question, about), partitions), groups)
      return await questions.ask(role, group, question, about, answerMs)
    },
  }
}
