import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { firstName, lastName, type MethodResponse, methods, newPassword } from '@tributary/contract'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { z } from 'zod'
import { useApiForm } from '../../components/api-form.ts'
import { PageNotFound } from '../../components/error-screen.tsx'
import { NewPasswordField } from '../../components/password-field.tsx'
import { call } from '../../lib/api/client.ts'
import { paths } from '../../lib/paths.ts'
import { login } from '../../lib/people/ways-in.ts'
import { userQuery } from '../../lib/queries/account-queries.ts'
import { query } from '../../lib/queries/query.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { CheckboxField, Form, SubmitButton, TextField } from '../../ui/forms/form.tsx'
import { useFirstField } from '../../ui/forms/form-state.ts'
import { useDocumentTitle } from '../../ui/page/document-title.ts'
import { EntryFrame } from '../../ui/page/entry-frame.tsx'
import { LoadingNote } from '../../ui/page/loading-note.tsx'
import { Skeleton } from '../../ui/page/skeleton.tsx'

/** The user and the organization of an onboarding link; read once, since the link can be used in the meantime. */
const startOnboardingQuery = (user: string, token: string) =>
  query(
    methods.users.startOnboarding,
    { params: { user }, query: { onboarding_token: token } },
    { gcTime: 0, staleTime: Number.POSITIVE_INFINITY },
  )

const onboardingForm = z.object({
  email: z.string(),
  first_name: firstName,
  last_name: lastName,
  password: newPassword,
  organization_auto_join: z.boolean(),
})
type Values = z.infer<typeof onboardingForm>

const Failure = ({ text, children }: { text: string; children: string }) => (
  <EntryFrame title={text} description={children}>
    <ButtonLink to={paths.login()}>Go to sign-in</ButtonLink>
  </EntryFrame>
)

/** Shown for an onboarding URL that lacks the user or the token. */
export const NoOnboarding = () => {
  useDocumentTitle('Onboarding')
  return (
    <Failure text="No onboarding: Couldn't find the requested onboarding">
      Open the full link you received. If it doesn't work, ask for a new one.
    </Failure>
  )
}

/**
 * Handles all other paths below /users: an onboarding URL that lacks the user, such as `/users//onboarding/complete`,
 * or a page that does not exist.
 */
export const UsersPage = () =>
  /^\/?onboarding(\/|$)/.test(useParams()['*'] ?? '') ? <NoOnboarding /> : <PageNotFound home={paths.root()} />

const Loading = () => (
  <div aria-busy className="grid min-h-dvh place-items-center">
    <LoadingNote />
    <div className="w-full max-w-96 space-y-5 rounded-xl border border-line bg-surface p-6">
      <Skeleton className="h-5 w-48" />
      <Skeleton className="h-8" />
      <Skeleton className="h-8" />
      <Skeleton className="h-8" />
    </div>
  </div>
)

const Complete = ({
  token,
  started: { user, organization },
}: {
  token: string
  started: MethodResponse<typeof methods.users.startOnboarding>
}) => {
  const navigate = useNavigate()
  const cache = useQueryClient()
  const form = useApiForm<Values>(onboardingForm, {
    email: user.email,
    first_name: user.first_name,
    last_name: user.last_name,
    password: '',
    organization_auto_join: false,
  })
  useFirstField(form, user.first_name === '' ? 'first_name' : 'password')
  const complete = useMutation({
    mutationFn: ({ first_name, last_name, password, organization_auto_join }: Values) =>
      call(methods.users.completeOnboarding, {
        params: { user: user.id },
        body: { onboarding_token: token, first_name, last_name, password, organization_auto_join },
      }),
  })
  const submit = async (values: Values): Promise<void> => {
    const answer = await complete.mutateAsync(values)
    cache.clear()
    await login(answer)
    cache.setQueryData(userQuery(answer.user.name).queryKey, answer.user)
    await navigate(paths.root(), { replace: true })
  }
  return (
    <EntryFrame
      title={`Welcome to ${organization.display_name}`}
      description="Choose a password to become its administrator."
    >
      <Form form={form} onSubmit={submit} label="Onboarding" className="space-y-4">
        <TextField name="email" label="Email" type="email" readOnly autoComplete="username" />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField name="first_name" label="First name" required autoComplete="given-name" />
          <TextField name="last_name" label="Last name" required autoComplete="family-name" />
        </div>
        <NewPasswordField name="password" label="New password" />
        <CheckboxField
          name="organization_auto_join"
          label={`Allow people with my email domain to join ${organization.display_name} automatically`}
        />
        <div className="pt-1">
          <SubmitButton wide>Join</SubmitButton>
        </div>
      </Form>
    </EntryFrame>
  )
}

const StartedOnboarding = ({ userId, token }: { userId: string; token: string }) => {
  const query = useQuery(startOnboardingQuery(userId, token))
  if (query.isError)
    return (
      <Failure text="Onboarding not found: The requested onboarding was revoked or expired">
        Links work once and expire. Ask for a new one, or sign in if you have already joined.
      </Failure>
    )
  return query.data === undefined ? <Loading /> : <Complete token={token} started={query.data} />
}

/** Lets the administrator of a new organization complete its set-up with an emailed link. */
export const CompleteOnboarding = ({ userId, token }: { userId: string | undefined; token: string | null }) => {
  useDocumentTitle('Onboarding')
  if (userId === undefined || userId === '' || token === null || token === '') return <NoOnboarding />
  return <StartedOnboarding userId={userId} token={token} />
}

/** The page of an onboarding link. */
export const CompleteOnboardingPage = () => {
  const { userId } = useParams()
  const [search] = useSearchParams()
  return <CompleteOnboarding userId={userId} token={search.get('token')} />
}
