import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { InvitationPreview, User } from '@tributary/contract'
import { type ReactNode, useEffect, useMemo } from 'react'
import { Navigate, useLocation, useNavigate, useParams, useSearchParams } from 'react-router'
import { ErrorScreen } from '../../components/error-screen.tsx'
import { ApiError } from '../../lib/api/errors.ts'
import { useConfig } from '../../lib/config.ts'
import { paths } from '../../lib/paths.ts'
import { roleHints, roleTitle } from '../../lib/people/roles.ts'
import { type SavedInvitation, saveInvitation, takeInvitation } from '../../lib/people/saved-invitation.ts'
import { useSession, workspacesLoaded } from '../../lib/people/session.ts'
import { membershipsQuery, workspacesQuery } from '../../lib/queries/account-queries.ts'
import { useCurrentUser } from '../../lib/workspace.ts'
import { Alert } from '../../ui/alert.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { EmailAddress } from '../../ui/forms/email-address.tsx'
import { notify } from '../../ui/overlays/toast.tsx'
import { LoadingNote } from '../../ui/page/loading-note.tsx'
import { Skeleton } from '../../ui/page/skeleton.tsx'
import { acceptInvitation, invitationProblem, previewQuery } from './invitation.ts'
import { InvitationFrame } from './invitation-frame.tsx'

type Offered = { invitation: SavedInvitation; preview: InvitationPreview }

const Loading = () => (
  <InvitationFrame title="Invitation">
    <div aria-busy className="mt-4 flex flex-col items-center gap-3">
      <LoadingNote />
      <Skeleton className="h-3 w-56" />
      <Skeleton className="h-3 w-40" />
      <Skeleton className="mt-3 h-10 w-full" />
    </div>
  </InvitationFrame>
)

/** Shows the inviting user and the organization above the actions. */
const Offer = ({ preview, children }: { preview: InvitationPreview; children: ReactNode }) => {
  const { organization, inviter, role } = preview
  return (
    <InvitationFrame
      title={`Join ${organization.display_name}`}
      picture={
        <Avatar
          title={organization.display_name}
          image={organization.logo}
          round="md"
          size="md"
          className="size-14 text-lg"
        />
      }
    >
      <p className="mt-1 text-sm text-balance text-ink-2">
        {inviter !== '' && (
          <>
            <strong className="font-medium break-words text-ink">{inviter}</strong> invites you
          </>
        )}
        {inviter === '' && 'You are invited'} to join {organization.display_name} as{' '}
        <strong className="font-medium text-ink">{roleTitle(role.value)}</strong>.
      </p>
      <p className="mt-1 text-xs text-ink-3">{roleHints[role.value]}</p>
      <div className="mt-6 space-y-2">{children}</div>
    </InvitationFrame>
  )
}

/** Shown to a signed-out visitor: the invitation is saved, and is accepted right after the login or sign-up. */
const SignedOut = ({ invitation, preview }: Offered) => {
  useEffect(() => saveInvitation(invitation), [invitation])
  // A visitor with a personal invitation can sign up even when sign-up is closed.
  const signUp = useConfig()?.sign_up_enabled !== false || preview.invitee_email !== ''
  const email = preview.invitee_email
  const query = email === '' ? {} : { email }
  const login = (
    <ButtonLink
      key="login"
      to={paths.login(query)}
      size="lg"
      variant={preview.has_account || !signUp ? 'primary' : 'secondary'}
      className="w-full"
    >
      Sign in
    </ButtonLink>
  )
  const register = (
    <ButtonLink
      key="register"
      to={paths.register(query)}
      size="lg"
      variant={preview.has_account ? 'secondary' : 'primary'}
      className="w-full"
    >
      Sign up
    </ButtonLink>
  )
  return (
    <Offer preview={preview}>
      {!signUp ? login : preview.has_account ? [login, register] : [register, login]}
      <p className="pt-2 text-xs text-ink-3">
        Then you'll join right away.
        {email !== '' && (
          <>
            {' '}
            The invitation is for <EmailAddress email={email} />.
          </>
        )}
      </p>
    </Offer>
  )
}

/** Shown to a user who is signed in with another email address than the invited one. */
const OtherAddress = ({ preview, user }: Pick<Offered, 'preview'> & { user: User }) => {
  const { pathname, search } = useLocation()
  return (
    <Offer preview={preview}>
      <p role="alert" className="rounded-md bg-warning-soft px-3 py-2 text-left text-sm text-warning-ink">
        This invitation is for{' '}
        <strong className="font-semibold">
          <EmailAddress email={preview.invitee_email} />
        </strong>
        . You are signed in as{' '}
        <strong className="font-semibold">
          <EmailAddress email={user.email} />
        </strong>
        . Sign out, then sign in or sign up with the invited email.
      </p>
      <ButtonLink
        to={paths.logout()}
        state={{ next: pathname + search }}
        variant="primary"
        size="lg"
        className="w-full"
      >
        Sign out
      </ButtonLink>
      <ButtonLink to={paths.root()} size="lg" variant="none" className="w-full">
        Stay signed in
      </ButtonLink>
    </Offer>
  )
}

const Accept = ({ invitation, preview, user }: Offered & { user: User }) => {
  const navigate = useNavigate()
  const cache = useQueryClient()
  const accept = useMutation({
    mutationFn: async () => {
      const organization = await acceptInvitation(invitation, user.name)
      // The invitation that was saved while the user was signed out is no longer needed.
      takeInvitation()
      // Reloads the memberships only after leaving this page, because the page redirects members.
      await cache.invalidateQueries({ queryKey: membershipsQuery(user.name).queryKey, refetchType: 'none' })
      const workspaces = await cache.fetchQuery(workspacesQuery(user.name))
      return { organization, workspaces }
    },
    onSuccess: async ({ organization, workspaces }) => {
      workspacesLoaded(workspaces)
      notify('success', 'Organization joined')
      const first = workspaces.find((workspace) => workspace.organization?.name === organization.name)
      await navigate(first === undefined ? paths.root() : paths.workspace(first.name), { replace: true })
    },
    onError: (error) => {
      // If the invitation was revoked or used in the meantime, the page shows that.
      if (error instanceof ApiError && error.status === 410)
        void cache.invalidateQueries({ queryKey: previewQuery(invitation).queryKey })
    },
  })
  return (
    <Offer preview={preview}>
      <Button
        variant="primary"
        size="lg"
        className="w-full"
        loading={accept.isPending || accept.isSuccess}
        onClick={() => accept.mutate()}
      >
        Accept invitation
      </Button>
      {accept.isError && <Alert className="text-xs">{accept.error.message}</Alert>}
      <p className="pt-2 text-xs text-ink-3">
        Signed in as <EmailAddress email={user.email} />
      </p>
    </Offer>
  )
}

const SignedIn = ({ invitation, preview }: Offered) => {
  const { user, memberships } = useCurrentUser()
  const member = memberships.data?.some(({ organization }) => organization.name === preview.organization.name)
  const failed = user.isError ? user : memberships.isError ? memberships : undefined
  if (failed !== undefined && failed.data === undefined)
    return (
      <main>
        <ErrorScreen page error={failed.error} onRetry={() => void failed.refetch()} />
      </main>
    )
  if (user.data === undefined || member === undefined) return <Loading />
  if (member) return <Navigate to={paths.root()} replace />
  const { invitee_email } = preview
  const other = invitee_email !== '' && invitee_email.toLowerCase() !== user.data.email.toLowerCase()
  return other ? (
    <OtherAddress preview={preview} user={user.data} />
  ) : (
    <Accept invitation={invitation} preview={preview} user={user.data} />
  )
}

const Unusable = ({ title, message }: { title: string; message: string }) => (
  <InvitationFrame title={title}>
    <p role="alert" className="mt-1 text-sm text-balance text-ink-2">
      {message}
    </p>
    <div className="mt-6">
      <ButtonLink to={paths.root()} variant="primary" size="lg" className="w-full">
        Go to Home
      </ButtonLink>
    </div>
  </InvitationFrame>
)

const Invitation = ({ invitation }: { invitation: SavedInvitation }) => {
  const preview = useQuery(previewQuery(invitation))
  const signedIn = useSession((state) => state.accessToken !== null)
  const problem = preview.isError ? invitationProblem(preview.error) : undefined
  if (problem !== undefined) return <Unusable {...problem} />
  if (preview.data === undefined)
    return preview.isError ? (
      <main>
        <ErrorScreen page error={preview.error} onRetry={() => void preview.refetch()} />
      </main>
    ) : (
      <Loading />
    )
  const View = signedIn ? SignedIn : SignedOut
  return <View invitation={invitation} preview={preview.data} />
}

/** The page that the link in an invitation email opens. */
export const InvitationPage = () => {
  const { invitationId = '' } = useParams()
  const [query] = useSearchParams()
  const token = query.get('token') ?? ''
  const invitation = useMemo(
    (): SavedInvitation => ({ kind: 'invitation', id: invitationId, token }),
    [invitationId, token],
  )
  return <Invitation key={invitationId} invitation={invitation} />
}

/** The page that an invitation link opens. */
export const InvitationLinkPage = () => {
  const { organizationId = '', invitationLinkId = '' } = useParams()
  const invitation = useMemo(
    (): SavedInvitation => ({ kind: 'link', organization: organizationId, id: invitationLinkId }),
    [organizationId, invitationLinkId],
  )
  return <Invitation key={invitationLinkId} invitation={invitation} />
}
