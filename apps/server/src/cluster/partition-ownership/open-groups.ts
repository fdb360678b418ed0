import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { type Logger, randomToken } from '@tributary/kernel'
import {
  type AnnouncedProcess,
  type CoordinationHub,
  createMembers,
  groupOfPartition,
  journalPlaces,
  leaseEpoch,
  logPartitions,
  openLeases,
  type Relational,
  requirePartitionGroups,
  settlePartitionGroups,
  widestSpread,
} from '@tributary/storage'
import { version } from '../../boot/built.ts'
import { folders } from '../../boot/engines.ts'
import type { Config } from '../../config/config.ts'
import type { DueDeliveries } from '../../threads/messages/delivery.ts'
import { createGroupQuestions } from './group-questions.ts'
import { type LogWatch, watchLog } from './log-watch.ts'
import { createOwnedGroups, type GroupRole, groupRoles, type OwnedGroupsDeps } from './owned-groups.ts'
import { createRoleGroups, type RoleGroups } from './role-groups.ts'

/**
 * The roles that several processes share; this process does its part of the work. A process without these roles sends
 * requests to the others.
 */
export type Groups = { readonly [Name in GroupRole]: RoleGroups<Name> } & {
  /** Whether this process owns the group of a partition, for a role. */
  owns(role: GroupRole, partition: number): boolean
  /** Starts to check whether the log responds. While it does not, this process leaves its groups to other processes. */
  watchLog(answers: () => Promise<unknown>): void
  close(): Promise<void>
}

/**
 * Opens a process's part in the groups of partitions. No group is taken before one of the roles is started. With
 * `isMain`, the process sets the number of groups.
 *
 * @throws PartitionGroupsInUse
 */
export const openGroups = async (
  config: Pick<Config, 'roles' | 'partitionGroups' | 'dataDir'>,
  deps: {
    url: string
    relational: Pick<Relational, 'pool'>
    hub: CoordinationHub
    isMain: boolean
    announced: AnnouncedProcess | undefined
    /** See `OwnedGroupsDeps`. */
    onRefused(why: string): void
    make: (
      ...given: [...Parameters<OwnedGroupsDeps['make']>, onDue: (due: DueDeliveries) => void]
    ) => ReturnType<OwnedGroupsDeps['make']>
    logger: Logger
  },
): Promise<Groups> => {
  const { relational, hub, logger } = deps
  const groups = config.partitionGroups
  if (deps.isMain) {
    const isInFile = (role: string): boolean => existsSync(folders(config.dataDir).journal(role))
    await settlePartitionGroups(relational, { roles: groupRoles, groups, isInFile })
  } else await requirePartitionGroups(relational, groups)
  const id = randomToken(9)
  const roles = groupRoles.filter((role) => config.roles.has(role))
  const leases = openLeases({ url: deps.url, logger })
  let watch: LogWatch | undefined
  const owned = createOwnedGroups({
    silentMs: () => watch?.silentMs() ?? 0,
    roles,
    groups,
    id,
    leases,
    // Collecting processes are counted by separate rows.
    members: createMembers({ pool: relational.pool, id, host: hostname(), version, roles }),
    async check() {
      await deps.announced?.check()
      await requirePartitionGroups(relational, groups)
    },
    epochOf: (name) => leaseEpoch(relational, name),
    onRefused: deps.onRefused,
    make: (role, group, tenure, onReplaced) =>
      deps.make(role, group, tenure, onReplaced, (due) => {
        // If the owner is not running, it looks for due deliveries when it starts.
        delivery.ask('take-up', due).catch(() => {})
      }),
    logger,
  })
  const { thread, epochOf } = owned
  const questions = createGroupQuestions({ coordination: hub.coordination, thread, epochOf, logger })
  let started: Promise<void> | undefined
  let stopped: Promise<void> | undefined
  const roleOf = <Name extends GroupRole>(role: Name): RoleGroups<Name> =>
    createRoleGroups({
      role,
      groups,
      partitions: logPartitions,
      owned,
      start: () => (started ??= roles.length === 0 ? Promise.resolve() : owned.start()),
      stop: () => (stopped ??= started === undefined ? Promise.resolve() : owned.stop()),
      questions,
      places: () => journalPlaces(relational, role, groups),
      widestSpread: (workspaceId) => widestSpread(relational.pool, workspaceId),
    })
  const delivery = roleOf('delivery')
  return {
    pipeline: roleOf('pipeline'),
    delivery,
    owns: (role, partition) => owned.owns(role, groupOfPartition(partition, groups)),
    watchLog(answers) {
      watch = watchLog(answers)
    },
    async close() {
      watch?.stop()
      questions.close()
      await leases.close()
    },
  }
}
