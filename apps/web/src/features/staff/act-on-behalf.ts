import { ownOrganizationMessage, type Workspace } from '@tributary/contract'
import { z } from 'zod'

const bareId = (workspace: string): string => workspace.replace(/^workspaces\//, '')

/**
 * The rules of the workspace ID to act in. `own` has the resource names of the user's current workspace and of all
 * workspaces of their own organizations.
 */
export const actOnBehalfForm = (own: readonly string[]) =>
  z.object({
    workspaceId: z
      .string()
      .trim()
      .refine((text) => bareId(text).length >= 5, 'At least 5 characters')
      .refine((text) => !own.map(bareId).includes(bareId(text)), ownOrganizationMessage),
  })
export type ActOnBehalfForm = z.infer<ReturnType<typeof actOnBehalfForm>>

/** The notice after the switch. */
export const actingNotice = ({ organization, title }: Workspace): string =>
  `You are now acting on behalf of ${organization?.display_name ?? title} organization`
