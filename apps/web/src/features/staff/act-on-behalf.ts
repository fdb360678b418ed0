import type { Workspace } from '@tributary/contract'
import { z } from 'zod'

const bareId = (workspace: string): string => workspace.replace(/^workspaces\//, '')

/** The rules of the workspace id to act in; `current` is the resource name of the workspace one is in. */
export const actOnBehalfForm = (current: string) =>
  z.object({
    workspaceId: z
      .string()
      .trim()
      .refine((text) => bareId(text).length >= 5, 'At least 5 characters')
      .refine((text) => bareId(text) !== bareId(current), 'You cannot act on behalf of your own organization'),
  })
export type ActOnBehalfForm = z.infer<ReturnType<typeof actOnBehalfForm>>

/** What is told once the switch is made. */
export const actingNotice = ({ organization, title }: Workspace): string =>
  `You are now acting on behalf of ${organization?.display_name ?? title} organization`
