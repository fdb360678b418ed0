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

/** The session of a login response, with or without an organization. */
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

/** Starts a session from a login answer. */
export const signIn = (answer: LoginResponse): void => {
  useSession.setState(sessionOfLogin(answer), true)
}

/** Forgets the session. The caller clears other data of the user. */
export const clearSession = (): void => {
  useSession.setState(signedOut, true)
}

/** The workspaces were loaded: they are kept, and the first one's organization becomes the session's. */
export const workspacesLoaded = (workspaces: Workspace[]): void => {
  const { actOnBehalfOf, session } = useSession.getState()
  const organization = actOnBehalfOf === null ? (workspaces[0]?.organization ?? null) : session.organization
  useSession.setState({ availableWorkspaces: workspaces, session: { organization } })
}

/** A workspace was entered: its organization becomes the session's, unless acting on behalf of another. */
export const workspaceEntered = (workspace: Workspace): void => {
  const { actOnBehalfOf, session } = useSession.getState()
  if (actOnBehalfOf !== null || session.organization?.name === workspace.organization?.name) return
  useSession.setState({ session: { organization: workspace.organization } })
}

/**
 * Acts in a workspace of another organization: its organization becomes the session's. The own organization is
 * remembered until `stopActing`, even when the user goes straight on to another acted-on workspace.
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

/** Returns to the own organization; does nothing while the user acts for none. */
export const stopActing = (): void => {
  const { actOnBehalfOf } = useSession.getState()
  if (actOnBehalfOf === null) return
  useSession.setState({ session: { organization: actOnBehalfOf.originalOrganization }, actOnBehalfOf: null })
}

/** True when the session has the data to complete a registration. */
export const mayCompleteRegistration = (): boolean => {
  const { currentUserResourceName, passwordOTPToken } = useSession.getState()
  return (currentUserResourceName ?? '') !== '' && (passwordOTPToken ?? '') !== ''
}

/** Remembers a protected address until the next login; addresses that must not be opened are ignored. */
export const rememberLocation = (path: string): void => {
  if (safeReturn(path) !== undefined) sessionStorage.setItem(returnKey, path)
}

/** The remembered path, once; `/` without one. */
export const takeLocation = (): string => {
  const path = safeReturn(sessionStorage.getItem(returnKey))
  sessionStorage.removeItem(returnKey)
  return path ?? '/'
}
