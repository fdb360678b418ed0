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

/**
 * Sent to the group of the first partition of the workspace that the request names, for data that belongs to no user.
 */
type OfWorkspace = { kind: 'of-workspace' }

/** Sent to all groups with data of the workspace that the request names; their responses are combined. */
type OfSpread<Answer> = { kind: 'of-spread'; combine(answers: Answer[]): Answer }

/**
 * Sent to all groups; their responses are combined. Groups that fail with an error in `passesOver` are skipped: they
 * have no owner, or are starting.
 */
type OfAll<Answer> = { kind: 'of-all'; combine(answers: Answer[]): Answer; passesOver?: readonly Constructor[] }

/**
 * Sent to no group. The response comes from the journals (`of-journals`), or there is none if processes share the role
 * (`of-none`).
 */
type OfNone = { kind: 'of-journals' } | { kind: 'of-none' }

/** Which groups a message to a role goes to, and how their responses are combined. */
type Route<Answer> = OfWorkspace | OfSpread<Answer> | OfAll<Answer> | OfNone

/** The routes that a message can have. Only a request that names a workspace can be sent to that workspace's groups. */
type RouteOf<Of extends Message> =
  | (RequestOf<Of> extends { workspaceId: string } ? Route<AnswerOf<Of>> : never)
  | OfAll<AnswerOf<Of>>
  | OfNone

const ignored = (): void => {}
const joined = <Item>(answers: Item[][]): Item[] => answers.flat()
const sum = (answers: number[]): number => answers.reduce((total, answer) => total + answer, 0)

type RoutesOf<Table extends Messages> = { readonly [Name in keyof Table]: RouteOf<Table[Name]> }

/** The route of every message to a role with groups. */
export const routes: { readonly [Name in GroupRole]: RoutesOf<GroupMessages[Name]> } = {
  pipeline: {
    // A thread that is starting reads its whole configuration, so it is skipped.
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
    // A delivery thread that is not running has no state in memory, so it is skipped. It will start with the current
    // data.
    forget: { kind: 'of-all', combine: ignored, passesOver: [GroupUnowned] },
    retry: { kind: 'of-spread', combine: ignored },
    'take-up': { kind: 'of-spread', combine: ignored },
    needed: { kind: 'of-all', combine: joined },
    positions: { kind: 'of-journals' },
    // The main process trims the log of outcomes. Delivering processes only append to it.
    'outcomes-trim': { kind: 'of-none' },
  },
}

/** Maximum time in ms for the response of another process, which may be writing to slow engines. */
const answerMs = 30_000

const workspaceOf = (name: string, request: unknown): string => {
  if (typeof request === 'object' && request !== null && 'workspaceId' in request) return String(request.workspaceId)
  throw new Error(`The question "${name}" names no workspace`)
}

/** A role whose work is shared by groups, with the interface of a single thread of this process. */
export type RoleGroups<Name extends GroupRole> = Role<GroupMessages[Name]> & {
  /** Always true: if this process owns no group, another process may own one. */
  running(): boolean
  /** The number of groups that this process owns, for users. */
  describe(): string
  /** The threads of the groups of this process. */
  threads(): readonly Client<GroupMessages[Name]>[]
}

/**
 * Joins the groups of a role, in this process or in others. Each message goes to the owners of the relevant groups. The
 * positions of the role are read from its journals (`places`), without an owner.
 */
export const createRoleGroups = <Name extends GroupRole>(deps: {
  role: Name
  groups: number
  partitions: number
  owned: OwnedGroups
  /** Starts to take groups, for all roles together. */
  start: () => Promise<void>
  stop: () => Promise<void>
  questions: GroupQuestions
  places: () => Promise<readonly LogPosition[]>
  /** The maximum number of partitions that a workspace was ever spread over. */
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
