import { groupOfPartition, type LogPosition, partitionOf, partitionsOf } from '@tributary/storage'
import type { RoleThread } from '../roles/role-thread.ts'
import { GroupBeginning, type GroupQuestions, GroupUnowned } from './group-questions.ts'
import type { GroupRole, OwnedGroups } from './owned-groups.ts'

type Constructor = abstract new (...given: never[]) => Error

/** Which groups a question to a role goes to, and how their answers are combined. */
type Route =
  /** Of the group of the first partition of a workspace, which `about` names: of what is of no user. */
  | { kind: 'of-workspace' }
  /** Of all groups that something of a workspace is in. */
  | { kind: 'of-spread'; combine(answers: unknown[]): unknown }
  /** Of all; the answers are put together, of groups that are not passed over: those that nobody has, or that begin. */
  | { kind: 'of-all'; combine(answers: unknown[]): unknown; passesOver?: readonly Constructor[] }

const nothing = (): undefined => undefined
const side = (answers: unknown[]): unknown[] => answers.flat()
const sum = (answers: unknown[]): number => answers.reduce<number>((total, each) => total + Number(each), 0)

/** Every question that is asked of roles with groups. */
const routes: Readonly<Record<GroupRole, Readonly<Record<string, Route>>>> = {
  pipeline: {
    // Who begins reads all of it.
    refresh: { kind: 'of-all', combine: nothing, passesOver: [GroupUnowned, GroupBeginning] },
    'tell-destinations': { kind: 'of-workspace' },
    'stream-append': { kind: 'of-workspace' },
    'stream-begin-epoch': { kind: 'of-workspace' },
    'stream-last-sequences': { kind: 'of-workspace' },
    'stream-trim': { kind: 'of-all', combine: sum },
    refill: { kind: 'of-spread', combine: (answers) => answers.every((isDone) => isDone === true) },
    idle: { kind: 'of-all', combine: nothing },
  },
  delivery: {
    refresh: { kind: 'of-all', combine: nothing, passesOver: [GroupUnowned, GroupBeginning] },
    // What a delivery that does not run had in memory is gone, and it begins with what is known then.
    forget: { kind: 'of-all', combine: nothing, passesOver: [GroupUnowned] },
    retry: { kind: 'of-spread', combine: nothing },
    'take-up': { kind: 'of-spread', combine: nothing },
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
  /** True: there may be somebody to ask, here or elsewhere. */
  running(): boolean
  /** How many groups this process has, for people. */
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
  /** Over how many partitions a workspace was ever spread. */
  widestSpread: (workspaceId: string) => Promise<number>
}): RoleGroups => {
  const { role, groups, owned, questions, partitions } = deps
  const all = Array.from({ length: groups }, (_, group) => group)

  const askAll = async (
    question: string,
    about: unknown,
    of: readonly number[],
    { combine, passesOver = [] }: Pick<Extract<Route, { kind: 'of-all' }>, 'combine' | 'passesOver'>,
  ) => {
    const answers = await Promise.allSettled(of.map((group) => questions.ask(role, group, question, about, answerMs)))
    const given: unknown[] = []
    for (const each of answers) {
      if (each.status === 'fulfilled') given.push(each.value)
      else if (!passesOver.some((kind) => each.reason instanceof kind)) throw each.reason
    }
    return combine(given)
  }

  const groupsOf = async (workspaceId: string): Promise<number[]> => {
    const spread = partitionsOf(workspaceId, await deps.widestSpread(workspaceId), partitions)
    return [...new Set(spread.map((partition) => groupOfPartition(partition, groups)))]
  }

  return {
    start: deps.start,
    stop: deps.stop,
    running: () => true,
    describe() {
      const threads = owned.threads(role)
      const running = threads.filter((thread) => thread.running()).length
      const beginning = running === threads.length ? '' : `, ${threads.length - running} begin`
      return `has ${running} of ${groups}${beginning}`
    },
    wake() {
      for (const thread of owned.threads(role)) thread.wake()
    },
    async ask(question, about) {
      if (question === 'positions') return await deps.places()
      const route = Object.hasOwn(routes[role], question) ? routes[role][question] : undefined
      if (route === undefined) throw new Error(`There is no way for the question "${question}" to the ${role}`)
      if (route.kind === 'of-all') return await askAll(question, about, all, route)
      const workspaceId = workspaceOf(question, about)
      if (route.kind === 'of-spread') return await askAll(question, about, await groupsOf(workspaceId), route)
      const group = groupOfPartition(partitionOf(workspaceId, partitions), groups)
      return await questions.ask(role, group, question, about, answerMs)
    },
  }
}
