import { useQuery, useQueryClient } from '@tanstack/react-query'
import { firstName, lastName, methods, newPassword, type User } from '@tributary/contract'
import { useRef } from 'react'
import { useNavigate } from 'react-router'
import { z } from 'zod'
import { useApiForm } from '../../components/api-form.ts'
import { NewPasswordField } from '../../components/password-field.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { call } from '../../lib/api/client.ts'
import { justSignedIn } from '../../lib/arrival.ts'
import { entryPaths } from '../../lib/entry-paths.ts'
import { userIds } from '../../lib/format/names.ts'
import { takeLocation, useSession } from '../../lib/people/session.ts'
import { userQuery } from '../../lib/queries/account-queries.ts'
import { Form, SubmitButton, TextField } from '../../ui/forms/form.tsx'
import { useFirstField } from '../../ui/forms/form-state.ts'
import { useDocumentTitle } from '../../ui/page/document-title.ts'
import { EntryFrame } from '../../ui/page/entry-frame.tsx'
import { Skeleton } from '../../ui/page/skeleton.tsx'
import { AuthLink } from './auth-link.tsx'

const registration = z.object({
  email: z.string(),
  first_name: firstName,
  last_name: lastName,
  password: newPassword,
})

const Registration = ({ user }: { user: User }) => {
  const navigate = useNavigate()
  const cache = useQueryClient()
  const form = useApiForm(registration, {
    email: user.email,
    first_name: user.first_name,
    last_name: user.last_name,
    password: '',
  })
  useFirstField(form, 'first_name')
  // The token works once. If the server accepts the password and rejects the names, the next attempt sends only the
  // names.
  const passwordSet = useRef(false)
  const submit = async ({ first_name, last_name, password }: z.infer<typeof registration>): Promise<void> => {
    const params = userIds(user.name)
    if (!passwordSet.current)
      await call(methods.users.setPassword, {
        params,
        body: { name: user.name, otp_token: useSession.getState().passwordOTPToken ?? '', password },
      })
    passwordSet.current = true
    await call(methods.users.update, {
      params,
      query: { update_mask: 'first_name,last_name' },
      body: { first_name, last_name },
    })
    await cache.fetchQuery({ ...userQuery(user.name), staleTime: 0 })
    useSession.setState({ passwordOTPToken: null })
    await navigate(takeLocation(), { replace: true, state: justSignedIn })
  }
  return (
    <Form form={form} onSubmit={submit} label="Complete registration" className="space-y-4">
      <TextField name="email" label="Email" type="email" readOnly autoComplete="username" />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField name="first_name" label="First name" required autoComplete="given-name" />
        <TextField name="last_name" label="Last name" required autoComplete="family-name" />
      </div>
      <NewPasswordField name="password" label="Password" />
      <div className="pt-1">
        <SubmitButton wide>Continue</SubmitButton>
      </div>
    </Form>
  )
}

const RegistrationSkeleton = () => (
  <div aria-busy className="space-y-4">
    <Skeleton className="h-14 w-full" />
    <Skeleton className="h-14 w-full" />
    <Skeleton className="h-14 w-full" />
    <Skeleton className="h-10 w-full" />
  </div>
)

/**
 * Completes a registration: asks a user who signed up with a code, a link or a third party for names and a password.
 */
export const CompleteRegistrationPage = () => {
  useDocumentTitle('Complete registration')
  const query = useQuery(userQuery(useSession((state) => state.currentUserResourceName) ?? ''))
  return (
    <EntryFrame
      title="Complete your registration"
      description="Add your name and a password to finish."
      footer={
        <p>
          Not you? <AuthLink to={entryPaths.logout()}>Sign out</AuthLink>
        </p>
      }
    >
      <QueryView query={query} skeleton={<RegistrationSkeleton />} errorTitle="Failed to load your account">
        {(user) => <Registration user={user} />}
      </QueryView>
    </EntryFrame>
  )
}
