import { TriangleAlert } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { formFailure } from '../../lib/api/errors.ts'
import { entryPaths } from '../../lib/entry-paths.ts'
import { login, register } from '../../lib/people/ways-in.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { useDocumentTitle } from '../../ui/page/document-title.ts'
import { EntryFrame } from '../../ui/page/entry-frame.tsx'
import { Spinner } from '../../ui/page/spinner.tsx'
import { AuthLink } from './auth-link.tsx'
import { type Mode, takeReturn } from './third-party.ts'
import { useEnter } from './use-enter.ts'

const Failed = ({ mode, message }: { mode: Mode; message: string }) => {
  useDocumentTitle('Sign-in failed')
  return (
    <EntryFrame
      footer={
        mode === 'login' && (
          <p>
            No account yet? <AuthLink to={entryPaths.register()}>Sign up</AuthLink>
          </p>
        )
      }
    >
      <div role="alert" className="text-center">
        <span
          aria-hidden
          className="mx-auto mb-3 grid size-10 place-items-center rounded-full bg-danger-soft text-danger-ink"
        >
          <TriangleAlert className="size-5" />
        </span>
        <h1 className="text-lg font-semibold tracking-tight">Sign-in failed</h1>
        <p className="mt-1 text-sm text-balance break-words text-ink-2">{message}</p>
      </div>
      <ButtonLink to={entryPaths.login()} variant="primary" size="lg" className="mt-5 w-full">
        Back to sign-in
      </ButtonLink>
    </EntryFrame>
  )
}

/** The page to which the third-party sign-in returns: it completes the login or sign-up begun in this browser. */
export const OauthCallbackPage = () => {
  useDocumentTitle('Signing in')
  const [query] = useSearchParams()
  const enter = useEnter()
  const [failure, setFailure] = useState<{ mode: Mode; message: string }>()
  const started = useRef(false)
  useEffect(() => {
    if (started.current) return
    started.current = true
    const found = takeReturn(query)
    const finish = async (): Promise<void> => {
      if ('problem' in found) throw new Error(found.problem)
      await enter(await (found.mode === 'login' ? login(found.payload) : register(found.payload)))
    }
    void finish().catch((error: unknown) => {
      const { fields, form } = formFailure(error)
      setFailure({ mode: found.mode, message: form?.message ?? fields[0]?.message ?? 'Sign-in failed. Try again.' })
    })
  }, [query, enter])
  if (failure !== undefined) return <Failed {...failure} />
  return (
    <main className="grid min-h-dvh place-items-center text-ink-3">
      <h1 className="sr-only">Signing in</h1>
      <Spinner size="lg" label="Signing in" />
    </main>
  )
}
