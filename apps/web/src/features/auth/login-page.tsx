import { useQueryClient } from '@tanstack/react-query'
import { credentials, methods } from '@tributary/contract'
import { useNavigate } from 'react-router'
import type { z } from 'zod'
import { call } from '../../lib/client.ts'
import { keys } from '../../lib/queries.ts'
import { signIn, takeLocation } from '../../lib/session.ts'
import { Form, SubmitButton, TextField, useApiForm, useFirstField } from '../../ui/form.tsx'
import { useDocumentTitle } from '../../ui/page-header.tsx'
import { AuthFrame } from './auth-frame.tsx'

type Credentials = z.infer<typeof credentials>

/** Sign-in with e-mail address and password. */
export const LoginPage = () => {
  useDocumentTitle('Sign in')
  const navigate = useNavigate()
  const cache = useQueryClient()
  const form = useApiForm<Credentials>(credentials, { email: '', password: '' })
  useFirstField(form, 'email')
  const submit = async (values: Credentials): Promise<void> => {
    const answer = await call(methods.users.login, { body: values })
    cache.clear()
    signIn(answer)
    cache.setQueryData(keys.user(answer.user.name), answer.user)
    await navigate(takeLocation(), { replace: true })
  }
  return (
    <AuthFrame title="Sign in" description="Use your work email and password.">
      <Form form={form} onSubmit={submit} label="Sign in" className="space-y-4">
        <TextField name="email" label="Email" type="email" required autoComplete="username" inputMode="email" />
        <TextField name="password" label="Password" type="password" required autoComplete="current-password" />
        <div className="pt-1">
          <SubmitButton wide>Sign in</SubmitButton>
        </div>
      </Form>
    </AuthFrame>
  )
}
