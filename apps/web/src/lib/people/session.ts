import type { LoginResponse, Organization, Workspace } from '@tributary/contract'
import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import { storagePrefix } from '../browser/storage-prefix.ts'
import { safeReturn } from '../entry-paths.ts'

/** The session that the browser stores. */
export type SessionState = {
  session: { organization: Organization | null }
  availableWorkspaces: Workspace[]
  accessToken: string | null
  passwordOTPToken: string | null
  currentUserResourceName: string | null
  courierToken: string | null
  intercomToken: string | null
  actOnBehalfOf: { organization: Organization; originalOrganization: Organization | null; workspace: Workspace } | null
}

const signedOut: SessionState = {
  session: { organization: null },
  availableWorkspaces: [],
  accessToken: null,
  passwordOTPToken: null,
  currentUserResourceName: null,
  courierToken: null,
  intercomToken: null,
  actOnBehalfOf: null,
}

/** Returns the session for a login response, with or without an organization. */
export const sessionOfLogin = (answer: LoginResponse): SessionState => ({
  ...signedOut,
  session: { organization: answer.organization ?? null },
  accessToken: answer.access_token,
  passwordOTPToken: answer.set_password_otp_token,
  currentUserResourceName: answer.user.name,
  courierToken: answer.courier_token,
  intercomToken: answer.intercom_token,
})

/** The session, kept in local storage under one fixed name. */
export const useSession = create<SessionState>()(
  persist((): SessionState => signedOut, { name: `${storagePrefix}-session`, version: 1 }),
)

const returnKey = `${storagePrefix}-return-to`

/** Starts a session from a login response. */
export const signIn = (answer: LoginResponse): void => {
  useSession.setState(sessionOfLogin(answer), true)
}

/** Forgets the session. The caller clears other data of the user. */
export const clearSession = (): void => {
  useSession.setState(signedOut, true)
}

/** Stores the loaded workspaces. The organization of the first one becomes that of the session. */
export const workspacesLoaded = (workspaces: Workspace[]): void => {
  const { actOnBehalfOf, session } = useSession.getState()
  const organization = actOnBehalfOf === null ? (workspaces[0]?.organization ?? null) : session.organization
  useSession.setState({ availableWorkspaces: workspaces, session: { organization } })
}

/**
 * Called when a workspace is entered: its organization becomes that of the session, unless the user acts on behalf of
 * another organization.
 */
export const workspaceEntered = (workspace: Workspace): void => {
  const { actOnBehalfOf, session } = useSession.getState()
  if (actOnBehalfOf !== null || session.organization?.name === workspace.organization?.name) return
  useSession.setState({ session: { organization: workspace.organization } })
}

/**
 * Starts to act in a workspace of another organization, which becomes the organization of the session. The user's own
 * organization is remembered until `stopActing`, even if the user switches to another acted-on workspace in between.
 */
export const actOnBehalf = (workspace: Workspace): void => {
  const { organization } = workspace
  if (organization === null) throw new Error(`${workspace.name} belongs to no organization`)
  const { actOnBehalfOf, session } = useSession.getState()
  const originalOrganization = actOnBehalfOf === null ? session.organization : actOnBehalfOf.originalOrganization
  useSession.setState({
    session: { organization },
    actOnBehalfOf: { organization, originalOrganization, workspace },
  })
}

/** Returns to the user's own organization. Does nothing if the user does not act on behalf of another. */
export const stopActing = (): void => {
  const { actOnBehalfOf } = useSession.getState()
  if (actOnBehalfOf === null) return
  useSession.setState({ session: { organization: actOnBehalfOf.originalOrganization }, actOnBehalfOf: null })
}

/** True if the session has the data for completing a registration. */
export const mayCompleteRegistration = (): boolean => {
  const { currentUserResourceName, passwordOTPToken } = useSession.getState()
  return (currentUserResourceName ?? '') !== '' && (passwordOTPToken ?? '') !== ''
}

/**
 * Remembers the path of a page that requires a login, to open it after the next login. Paths that must not be opened
 * are ignored.
 */
export const rememberLocation = (path: string): void => {
  if (safeReturn(path) !== undefined) sessionStorage.setItem(returnKey, path)
}

/** Returns the remembered path and removes it; `/` if there is none. */
export const takeLocation = (): string => {
  const path = safeReturn(sessionStorage.getItem(returnKey))
  sessionStorage.removeItem(returnKey)
  return path ?? '/'
}
