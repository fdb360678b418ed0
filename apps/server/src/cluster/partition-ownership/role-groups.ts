import { groupOfPartition, type LogPosition, partitionOf, partitionsOf } from '@tributary/storage'
import { type GroupMessages, groupMessages } from '../../threads/messages/groups.ts'
import {
  type AnswerOf,
  type Client,
  createClient,
  type Message,
  type Messages,
  type Relay,
  type RequestOf,
} from '../../threads/messages/message.ts'
import type { Role } from '../../threads/role-thread.ts'
import { GroupBeginning, type GroupQuestions, GroupUnowned } from './group-questions.ts'
import type { GroupRole, OwnedGroups } from './owned-groups.ts'

type Constructor = abstract new (...given: never[]) => Error

/** To the group of the first partition of a workspace, which the request names: for data of no user. */
type OfWorkspace = { kind: 'of-workspace' }

/** To all groups that have data of a workspace, which the request names; combines their answers. */
type OfSpread<Answer> = { kind: 'of-spread'; combine(answers: Answer[]): Answer }

/**
 * To all groups; combines their answers. `passesOver` has the errors of groups that are left out: without an owner, or
 * starting.
 */
type OfAll<Answer> = { kind: 'of-all'; combine(answers: Answer[]): Answer; passesOver?: readonly Constructor[] }

/** To no group: answered from the journals, or not at all where processes share the role. */
type OfNone = { kind: 'of-journals' } | { kind: 'of-none' }

/** Which groups a message to a role goes to, and how their answers are combined. */
type Route<Answer> = OfWorkspace | OfSpread<Answer> | OfAll<Answer> | OfNone

/** The routes that a message can have: only a request that names a workspace goes to the groups of one. */
type RouteOf<Of extends Message> =
  | (RequestOf<Of> extends { workspaceId: string } ? Route<AnswerOf<Of>> : never)
  | OfAll<AnswerOf<Of>>
  | OfNone

const ignored = (): void => {}
const joined = <Item>(answers: Item[][]): Item[] => answers.flat()
const sum = (answers: number[]): number => answers.reduce((total, answer) => total + answer, 0)

type RoutesOf<Table extends Messages> = { readonly [Name in keyof Table]: RouteOf<Table[Name]> }

/** The way of every message to a role with groups. */
export const routes: { readonly [Name in GroupRole]: RoutesOf<GroupMessages[Name]> } = {
  pipeline: {
    // A thread that is starting reads all of it.
    refresh: { kind: 'of-all', combine: ignored, passesOver: [GroupUnowned, GroupBeginning] },
    'tell-destinations': { kind: 'of-workspace' },
    'stream-append': { kind: 'of-workspace' },
    'stream-begin-epoch': { kind: 'of-workspace' },
    'stream-last-sequences': { kind: 'of-workspace' },
    'stream-trim': { kind: 'of-all', combine: sum },
    refill: { kind: 'of-spread', combine: (answers) => answers.every((isDone) => isDone) },
    positions: { kind: 'of-journals' },
    // Only the threads of this process are asked.
    waited: { kind: 'of-none' },
  },
  delivery: {
    refresh: { kind: 'of-all', combine: ignored, passesOver: [GroupUnowned, GroupBeginning] },
    // A delivery that does not run has lost its memory, and starts with the current state.
    forget: { kind: 'of-all', combine: ignored, passesOver: [GroupUnowned] },
    retry: { kind: 'of-spread', combine: ignored },
    'take-up': { kind: 'of-spread', combine: ignored },
    needed: { kind: 'of-all', combine: joined },
    positions: { kind: 'of-journals' },
    // Delivering processes only append to it, and the main process trims it.
    'outcomes-trim': { kind: 'of-none' },
  },
}

/** How long another process has to answer, ms: it may be writing to engines that are slow. */
const answerMs = 30_000

const workspaceOf = (name: string, request: unknown): string => {
  if (typeof request === 'object' && request !== null && 'workspaceId' in request) return String(request.workspaceId)
  throw new Error(`The question "${name}" names no workspace`)
}

/** A role whose work is shared by groups, as if it were one thread of this process. */
export type RoleGroups<Name extends GroupRole> = Role<GroupMessages[Name]> & {
  /** True: an owner may exist, here or in another process. */
  running(): boolean
  /** How many groups this process has, for people. */
  describe(): string
  /** The threads of the groups of this process. */
  threads(): readonly Client<GroupMessages[Name]>[]
}

/**
 * Joins the groups of a role, in this process or in others: each message goes to the owners of the groups that it is
 * about. The positions of the role come from its journals (`places`), without an owner.
 */
export const createRoleGroups = <Name extends GroupRole>(deps: {
  role: Name
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
}): RoleGroups<Name> => {
  const { role, groups, owned, questions, partitions } = deps
  const all = Array.from({ length: groups }, (_, group) => group)

  const askAll = async (
    { name, request, answer }: { name: string; request: unknown; answer: Message['answer'] },
    of: readonly number[],
    { combine, passesOver = [] }: Pick<OfAll<unknown>, 'combine' | 'passesOver'>,
  ) => {
    const ask = async (group: number): Promise<unknown> =>
      answer.parse(await questions.relay(role, group, name, request, answerMs))
    const answers = await Promise.allSettled(of.map(ask))
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

  const messages: Messages = groupMessages[role]
  const routesOfRole: Readonly<Record<string, Route<unknown>>> = routes[role]

  const relay: Relay = async (name, request) => {
    const [message, route] = Object.hasOwn(routesOfRole, name) ? [messages[name], routesOfRole[name]] : []
    if (message === undefined || route === undefined || route.kind === 'of-none')
      throw new Error(`There is no way for the question "${name}" to the ${role}`)
    if (route.kind === 'of-journals') return await deps.places()
    const asked = { name, request, answer: message.answer }
    if (route.kind === 'of-all') return await askAll(asked, all, route)
    const workspaceId = workspaceOf(name, request)
    if (route.kind === 'of-spread') return await askAll(asked, await groupsOf(workspaceId), route)
    const group = groupOfPartition(partitionOf(workspaceId, partitions), groups)
    return await questions.relay(role, group, name, request, answerMs)
  }

  return {
    start: deps.start,
    stop: deps.stop,
    running: () => true,
    threads: () => owned.threads(role).map((thread) => createClient(groupMessages[role], thread.relay)),
    describe() {
      const threads = owned.threads(role)
      const running = threads.filter((thread) => thread.running()).length
      const beginning = running === threads.length ? '' : `, ${threads.length - running} begin`
      return `has ${running} of ${groups}${beginning}`
    },
    wake() {
      for (const thread of owned.threads(role)) thread.wake()
    },
    ...createClient(groupMessages[role], relay),
  }
}
