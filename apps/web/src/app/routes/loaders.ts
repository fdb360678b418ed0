import { withoutEnd } from '@tributary/kernel/text-ends'
import { type LoaderFunctionArgs, redirect } from 'react-router'
import { useUi } from '../../lib/browser/ui-store.ts'
import { organizationTarget, type Shortcut, shortcutTarget } from '../../lib/keyboard/shortcuts.ts'
import { useSession } from '../../lib/people/session.ts'
import { workspacesQuery } from '../../lib/queries/account-queries.ts'
import { queryClient } from '../query-client.ts'
import { signedIn } from './session-loaders.ts'

/** The workspace that short links open: the acted-on one, the last used one, or the first. */
const usualWorkspace = async (): Promise<string | undefined> => {
  const { actOnBehalfOf, currentUserResourceName } = useSession.getState()
  if (actOnBehalfOf !== null) return actOnBehalfOf.workspace.name
  const workspaces = await queryClient.fetchQuery(workspacesQuery(currentUserResourceName ?? ''))
  const { lastWorkspace } = useUi.getState()
  return (workspaces.find(({ name }) => name === lastWorkspace) ?? workspaces[0])?.name
}

/**
 * Redirects a signed-in user to the page with this name in their usual workspace; by default `name` is read from the
 * URL.
 */
export const toShortcut =
  (name?: Shortcut) =>
  async ({ request, params }: LoaderFunctionArgs): Promise<Response> =>
    signedIn({ request }) ??
    redirect(shortcutTarget(name ?? withoutEnd(params['*'] ?? '', '/'), await usualWorkspace()))

/** Redirects the organization pages below a workspace to its settings. */
export const toOrganizationSettings = ({ params }: LoaderFunctionArgs): Response =>
  redirect(organizationTarget(params['*'] ?? '', `workspaces/${params.workspaceId ?? ''}`))
