import type { Logger } from '@tributary/kernel'
import {
  isGroupOf,
  isInTenure,
  type Leases,
  type Member,
  type Members,
  nameOfGroup,
  namesOfGroups,
  type PartitionGroup,
  PartitionGroupsInUse,
  SchemaTooNew,
  type Tenure,
  type TenureInfo,
} from '@tributary/storage'
import type { RoleThread } from '../../threads/role-thread.ts'

/** The roles whose work is shared by groups of partitions. */
export const groupRoles = ['pipeline', 'delivery'] as const
export type GroupRole = (typeof groupRoles)[number]

/** A group that this process owns, and the thread that does its work. */
type Owned = PartitionGroup & { role: GroupRole; name: string; tenure: Tenure; thread: RoleThread; isLeaving: boolean }

export type OwnedGroups = {
  /**
   * Takes groups without an owner, up to this process's share, and resolves when all of them have started. Rejects if
   * one of them cannot start.
   */
  start(): Promise<void>
  /** Whether this process certainly owns a group, and its thread is running. */
  owns(role: GroupRole, group: number): boolean
  /** The thread of a group, if this process owns it. */
  thread(role: GroupRole, group: number): RoleThread | undefined
  /** The threads of a role. */
  threads(role: GroupRole): RoleThread[]
  /** The epoch of the current owner of a group, from the database; undefined if it has no owner. */
  epochOf(role: GroupRole, group: number): Promise<number | undefined>
  /** Gives all groups up. Other processes take each group as soon as it is drained. */
  stop(): Promise<void>
}

/** How many groups of a role a process may take, and how many it should give up. */
export type Share = { mayTake: number; shouldGive: number }

/**
 * Computes how many free groups a process may take and how many it should give up, from the counts of all processes of
 * a role. Each process has the same number, or one more. A process with one more gives it up only to a process that has
 * too few, and only one process does so at a time.
 */
export const shareOf = (held: ReadonlyMap<string, number>, self: string, groups: number): Share => {
  const mine = held.get(self) ?? 0
  const minGroups = Math.floor(groups / held.size)
  const maxGroups = Math.ceil(groups / held.size)
  const lacking = [...held].filter(([, count]) => count < minGroups)
  const othersLack = lacking.some(([id]) => id !== self)
  const mayTake = Math.max(0, (othersLack ? minGroups : maxGroups) - mine)
  if (mine > maxGroups) return { mayTake, shouldGive: mine - maxGroups }
  const rich = [...held].filter(([, count]) => count === maxGroups && maxGroups > minGroups).map(([id]) => id)
  // A process that owns more groups than its maximum gives groups up before any other does.
  const isCrowded = [...held.values()].some((count) => count > maxGroups)
  return { mayTake, shouldGive: othersLack && !isCrowded && rich.sort()[0] === self ? 1 : 0 }
}

/**
 * Time in ms for which a process that cannot start a group leaves all groups to others. It doubles each time, up to the
 * maximum.
 */
const failedMs = { min: 10_000, max: 600_000 }

/** Measures the increasing times for which a process that cannot start its groups takes none. */
const createPatience = () => {
  let failures = 0
  let until = 0
  return {
    isResting: (): boolean => performance.now() < until,
    note(): void {
      // Groups that start together also fail together, which counts as one failure.
      if (performance.now() < until) return
      until = performance.now() + Math.min(failedMs.max, failedMs.min * 2 ** failures++)
    },
    forget(): void {
      failures = 0
    },
  }
}

/** A process whose log does not respond for this time, ms, leaves its groups to others. */
const cutOffMs = 10_000
/** How often a process looks for members and free groups, ms. */
const lookMs = 400
/** Time in ms for which a group that could not be kept is left to other processes. */
const restMs = 2000

export type OwnedGroupsDeps = {
  /** The roles whose groups this process takes. */
  roles: readonly GroupRole[]
  groups: number
  /** The ID of this process among the members. */
  id: string
  leases: Leases
  members: Members
  /**
   * Rejects with PartitionGroupsInUse if the number of groups has changed, and with SchemaTooNew if this process is too
   * old for the schema.
   */
  check: () => Promise<void>
  /** The epoch of the owner of a group, by its name. It uses a connection that renews no leases. */
  epochOf(name: string): Promise<number | undefined>
  /** How long the log has not responded to this process, ms; 0 while it responds, or if that is unknown. */
  silentMs?(): number
  /** Called when `check` has rejected with one of these errors: this process can no longer share groups. */
  onRefused(why: string): void
  /**
   * Creates the thread of a group, without starting it. `onReplaced` is called when another process has opened its log
   * or its journal.
   */
  make(role: GroupRole, group: PartitionGroup, tenure: TenureInfo, onReplaced: (why: string) => void): RoleThread
  logger: Logger
}

const countsOf = (members: readonly Member[], role: GroupRole): Map<string, number> =>
  new Map(
    members
      .filter(({ roles }) => roles.includes(role))
      .map(({ id, held }) => [id, held.filter((name) => isGroupOf(role, name)).length]),
  )

/** Takes the lease of a group. Resolves to undefined if another process has it. */
const takeLease = async (
  { leases, check }: Pick<OwnedGroupsDeps, 'leases' | 'check'>,
  name: string,
  onLost: (why: string) => void,
): Promise<{ tenure: Tenure; isLost: () => boolean } | undefined> => {
  let isLost = false
  const tenure = await leases.take({
    name,
    of: `the owner of ${name}`,
    onLost(why) {
      isLost = true
      onLost(why)
    },
  })
  if (tenure === undefined) return undefined
  try {
    await check()
  } catch (error) {
    await tenure.release()
    throw error
  }
  return { tenure, isLost: () => isLost }
}

/** The groups that a process owns, with functions to take and to leave one. */
const createHolding = (deps: Pick<OwnedGroupsDeps, 'leases' | 'check' | 'make' | 'logger'>) => {
  const { logger } = deps
  const owned = new Map<string, Owned>()
  /** By the name of a group, the time (`performance.now()`) until which this process leaves it to others. */
  const resting = new Map<string, number>()
  const leaving = new Set<Promise<void>>()

  const leave = (one: Owned, how: 'drained' | 'at once'): Promise<void> => {
    if (one.isLeaving) return Promise.resolve()
    one.isLeaving = true
    resting.set(one.name, performance.now() + restMs)
    const done = (async () => {
      await one.thread.stop(how === 'drained' ? undefined : 0)
      await one.tenure.release()
      owned.delete(one.name)
    })().finally(() => leaving.delete(done))
    leaving.add(done)
    return done
  }

  const drop = (name: string, why: string): void => {
    const one = owned.get(name)
    if (one === undefined) return
    // Another process may already own the group that is being drained.
    if (one.isLeaving) return void one.thread.stop(0)
    logger.error({ group: name }, `${why}. This process lets go of it`)
    void leave(one, 'at once')
  }

  return {
    owned,
    /** Whether a group must not be taken now: it is owned, or was just given up. */
    isTaken: (name: string): boolean => owned.has(name) || (resting.get(name) ?? 0) > performance.now(),
    kept: (): Owned[] => [...owned.values()].filter((one) => !one.isLeaving),
    /** Takes a group without an owner. Resolves to its start, or to undefined if another process was faster. */
    async take(role: GroupRole, group: PartitionGroup): Promise<{ begun: Promise<void> } | undefined> {
      const name = nameOfGroup(role, group)
      const onLost = (why: string): void => drop(name, why)
      const lease = await takeLease(deps, name, onLost)
      if (lease === undefined) return undefined
      const { tenure } = lease
      // `onLost` is called only once, and at that time there was no thread to end. Nothing may be awaited between here
      // and `owned.set`.
      if (lease.isLost()) {
        await tenure.release()
        return undefined
      }
      const thread = deps.make(role, group, tenure, onLost)
      const one = { ...group, role, name, tenure, thread, isLeaving: false }
      owned.set(name, one)
      logger.info({ group: name, epoch: tenure.epoch }, 'this process takes a group of partitions')
      const since = performance.now()
      const begun = thread.start().then(
        () => logger.info({ group: name, ms: Math.round(performance.now() - since) }, 'the group has begun'),
        (error: unknown) => {
          // The group was lost, or given up, before it had begun.
          if (one.isLeaving) return
          // Another process may be able to start the group.
          void leave(one, 'at once')
          throw error
        },
      )
      begun.catch(() => {})
      return { begun }
    },
    /** Leaves a group to others for a while. */
    rest: (name: string): void => void resting.set(name, performance.now() + restMs),
    /** Ends the thread, drained or immediately, and then releases the lease. */
    leave,
    /** Resolves when no group is being given up. */
    async left(): Promise<void> {
      await Promise.all(leaving)
    },
  }
}

type Holding = ReturnType<typeof createHolding>

/**
 * While the log does not respond to this process, gives its groups to other processes, to which the log may respond. If
 * there is no other process, keeps the groups.
 */
const createCutOff = (
  { silentMs, members, logger }: Pick<OwnedGroupsDeps, 'silentMs' | 'members' | 'logger'>,
  holding: Holding,
) => {
  let isApart = false
  /** Returns whether this process takes no groups at the moment. */
  return async (isAlone: boolean): Promise<boolean> => {
    const isCutOff = (silentMs?.() ?? 0) >= cutOffMs
    if (isCutOff && !isApart && !isAlone) {
      logger.error({}, 'the log does not answer: this process gives its groups to processes that may reach it')
      // If this fails, it is retried: a process that is no longer counted but keeps its groups would block these groups
      // for all others.
      await members.leave()
      isApart = true
      for (const one of holding.kept()) void holding.leave(one, 'at once')
    } else if (!isCutOff && isApart) {
      isApart = false
      logger.info({}, 'the log answers again: this process takes its share of the groups')
    }
    return isApart
  }
}

/** Repeats a task with pauses, until it is stopped. Its failures are reported. */
const repeat = (task: () => Promise<unknown>, onOutcome: (error?: unknown) => void) => {
  let isStopping = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<unknown> = Promise.resolve()
  const again = (): void => {
    if (isStopping) return
    timer = setTimeout(() => {
      running = task()
        .then(() => onOutcome(), onOutcome)
        .then(again)
    }, lookMs)
  }
  again()
  return async (): Promise<void> => {
    isStopping = true
    clearTimeout(timer)
    await running
  }
}

/**
 * Takes groups of partitions, each with its own lease and thread, and shares them with the other processes. A process
 * that joins gets its share, and the groups of a process that has ended go to the others. If the lease of a group
 * cannot be renewed, the group ends immediately; the epoch fences its unfinished writes.
 */
export const createOwnedGroups = (deps: OwnedGroupsDeps): OwnedGroups => {
  const { roles, groups, id, leases, members, logger } = deps
  const holding = createHolding(deps)
  const standsApart = createCutOff(deps, holding)
  const failed = createPatience()
  /** Whether no other process shared a role at the last check. */
  let isAlone = true
  let stopping = false
  let stopLooking: (() => Promise<void>) | undefined

  const lookAtRole = async (role: GroupRole, all: readonly Member[], free: ReadonlySet<string>) => {
    const { mayTake, shouldGive } = shareOf(countsOf(all, role), id, groups)
    const mine = holding.kept().filter((one) => one.role === role)
    for (const one of mine.slice(0, shouldGive)) {
      logger.info({ group: one.name }, 'this process hands a group of partitions over')
      void holding.leave(one, 'drained')
    }
    const begun: Promise<void>[] = []
    for (let group = 0; group < groups && begun.length < mayTake && !stopping; group++) {
      const name = nameOfGroup(role, { group, groups })
      if (!free.has(name) || holding.isTaken(name)) continue
      // A failure to take one group does not prevent taking the others.
      const taken = await holding.take(role, { group, groups }).catch((error: unknown) => {
        logger.warn({ err: error, group: name }, 'a group of partitions cannot be taken')
        holding.rest(name)
      })
      if (taken !== undefined) begun.push(taken.begun)
    }
    return begun
  }

  const look = async (): Promise<Promise<void>[]> => {
    await deps.check()
    if ((await standsApart(isAlone)) || failed.isResting()) return []
    const all = await members.beat(holding.kept().map(({ name }) => name))
    isAlone = roles.every((role) => countsOf(all, role).size === 1)
    const free = new Set(await leases.free(roles.flatMap((role) => namesOfGroups(role, groups))))
    const begun: Promise<void>[] = []
    for (const role of roles) begun.push(...(await lookAtRole(role, all, free)))
    for (const each of begun)
      each.then(failed.forget, (error: unknown) => {
        logger.error({ err: error }, 'a group of partitions does not begin')
        failed.note()
        void members.leave().catch(() => {})
      })
    return begun
  }

  let isAway = false
  const noteLook = (error?: unknown): void => {
    if (error instanceof PartitionGroupsInUse || error instanceof SchemaTooNew) deps.onRefused(error.message)
    else if (error !== undefined && !isAway)
      logger.warn({ err: error }, 'the free groups of partitions cannot be read now; this process tries again')
    isAway = error !== undefined
  }

  return {
    async start() {
      const begun = await look()
      if (!stopping) stopLooking = repeat(look, noteLook)
      await Promise.all(begun)
    },
    owns(role, group) {
      const one = holding.owned.get(nameOfGroup(role, { group, groups }))
      // A process may have been paused beyond its lease without having noticed it yet.
      return one !== undefined && one.thread.running() && isInTenure(one.tenure)
    },
    thread: (role, group) => holding.owned.get(nameOfGroup(role, { group, groups }))?.thread,
    threads: (role) => [...holding.owned.values()].filter((one) => one.role === role).map(({ thread }) => thread),
    epochOf: (role, group) => deps.epochOf(nameOfGroup(role, { group, groups })),
    async stop() {
      stopping = true
      await stopLooking?.()
      // The other processes are then counted without this one, and take the groups that it gives up.
      await members.leave().catch(() => {})
      await Promise.all(holding.kept().map((one) => holding.leave(one, 'drained')))
      await holding.left()
    },
  }
}
