import type { GroupRole } from '../../cluster/partition-ownership/owned-groups.ts'
import { deliveryMessages } from './delivery.ts'
import type { Messages } from './message.ts'
import { pipelineMessages } from './pipeline.ts'

/** The messages of the roles whose work processes share by groups of partitions. */
export const groupMessages = {
  pipeline: pipelineMessages,
  delivery: deliveryMessages,
} satisfies Record<GroupRole, Messages>

export type GroupMessages = typeof groupMessages

/**
 * A message of a role for the process that owns a group: `question` is its name, `about` its request. That process may
 * have the previous or next version, so its thread validates both.
 */
export type GroupQuestion = { role: GroupRole; group: number; question: string; about: unknown }

/** The response of a group's owner: a value, an error, or the fact that its thread is not running yet. */
export type GroupAnswer = { value?: unknown; error?: string; isBeginning?: true }
