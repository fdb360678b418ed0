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
 * A message of a role on its way to the process that owns a group: `question` is its name, `about` its request. The
 * process may be one of the version before or after, so the thread that answers looks at both.
 */
export type GroupQuestion = { role: GroupRole; group: number; question: string; about: unknown }

/** An answer of the owner of a group: a value, an error, or that its thread does not run yet. */
export type GroupAnswer = { value?: unknown; error?: string; isBeginning?: true }
