/** One of the groups into which the partitions of the logs are divided; each has one owner at a time. */
export type PartitionGroup = { readonly group: number; readonly groups: number }

/** The number of the group of a partition. */
export const groupOfPartition = (partition: number, groups: number): number => partition % groups

/** The partitions of a group, ascending. */
export const partitionsOfGroup = ({ group, groups }: PartitionGroup, partitions: number): number[] =>
  Array.from({ length: partitions }, (_, partition) => partition).filter(
    (partition) => groupOfPartition(partition, groups) === group,
  )

/**
 * The name of a group for a role, used for its lease, its journal and its reports. Another number of groups gives other
 * names. If there is only one group, its name is the role.
 */
export const nameOfGroup = (role: string, { group, groups }: PartitionGroup): string =>
  groups === 1 ? role : `${role} ${group + 1}/${groups}`

/** The names of all groups of a role, in their order. */
export const namesOfGroups = (role: string, groups: number): string[] =>
  Array.from({ length: groups }, (_, group) => nameOfGroup(role, { group, groups }))

/** Whether a name is that of a group of a role, for any number of groups. */
export const isGroupOf = (role: string, name: string): boolean => name === role || name.startsWith(`${role} `)
