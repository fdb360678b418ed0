import { QueryClientProvider } from '@tanstack/react-query'
import { waitFor } from '@testing-library/react'
import type { Organization, User, Workspace } from '@tributary/contract'
import type { ReactNode } from 'react'
import { afterEach, expect, vi } from 'vitest'
import { useKnownConfig } from '../lib/config.ts'
import { clearSession, signIn } from '../lib/people/session.ts'
import { createQueryClient } from '../lib/queries/query-client.ts'
import { WorkspaceProvider } from '../lib/workspace.ts'
import { loginAnswer } from './login-answer.ts'
import { renderUi } from './render.tsx'

const organization: Organization = {
  name: 'organizations/o1',
  title: 'Acme',
  display_name: 'Acme',
  industry: 'other',
  extra: { logo: '' },
  auto_join_domain: '',
  subscription: { name: 'organizations/o1/subscription', extra: { plan_name: 'plans/free' } },
  create_time: '2026-01-01T00:00:00Z',
}

/** Returns the workspace for tests of pages. Its organization has the plan. */
export const workspaceOn = (plan: string): Workspace => ({
  name: 'workspaces/w1',
  title: 'Production',
  organization: {
    ...organization,
    subscription: { ...organization.subscription, extra: { plan_name: plan } },
  },
  create_time: '2026-01-01T00:00:00Z',
})

/** The configuration of a server; its URLs are never called. */
export const config = {
  sign_up_enabled: true,
  oauth: null,
  links: {
    terms: '',
    privacy: '',
    pricing: 'https://tributary.example/pricing',
    contact_sales: '',
    documentation: '',
    support_email: '',
  },
  sentry_dsn: '',
  environment: 'production',
  messaging_app_id: '',
  stripe_publishable_key: '',
  analytics_write_key: '',
  mail_enabled: true,
  payment: 'none',
}

const user: User = loginAnswer.user
const membership = (role: string) => ({
  name: 'organizations/o1/memberships/m1',
  user: user.name,
  role: { value: role },
  organization: { name: organization.name, title: 'Acme', display_name: 'Acme' },
  create_time: '2026-01-01T00:00:00Z',
})

afterEach(() => {
  vi.unstubAllGlobals()
  useKnownConfig.setState({ config: undefined, failure: undefined })
  clearSession()
})

/**
 * Renders a part of a workspace for a member with a role. The fake server has the user and the configuration. `answers`
 * returns its responses to further paths (without `/api`), and can replace these two; a rejection stands for an
 * unreachable server. Returns the requested paths in order; `settled` resolves when no response is pending. The test
 * file needs `// @vitest-environment happy-dom` in its first line.
 */
export const openInWorkspace = (
  element: ReactNode,
  {
    role = 'ORG_ADMIN',
    plan = 'plans/free',
    at = '/',
    answers,
  }: {
    role?: string
    plan?: string
    /** The URL path of the page. */
    at?: string
    answers: (
      path: string,
      init: RequestInit | undefined,
      query: URLSearchParams,
    ) => Response | Promise<Response> | undefined
  },
): { asked: string[]; settled: () => Promise<void> } => {
  const asked: string[] = []
  const cache = createQueryClient(() => undefined)
  const known: Record<string, unknown> = {
    '/config': config,
    [`/${user.name}`]: user,
    [`/${user.name}/memberships`]: { memberships: [membership(role)], next_page_token: '' },
  }
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => {
    const { pathname, searchParams } = new URL(url, 'http://app.test')
    const path = pathname.slice('/api'.length)
    asked.push(path)
    return (
      (await answers(path, init, searchParams)) ??
      Response.json(known[path] ?? {}, { status: path in known ? 200 : 404 })
    )
  })
  signIn(loginAnswer)
  renderUi(
    <QueryClientProvider client={cache}>
      <WorkspaceProvider value={workspaceOn(plan)}>{element}</WorkspaceProvider>
    </QueryClientProvider>,
    at,
  )
  return { asked, settled: () => waitFor(() => expect(cache.isFetching()).toBe(0)) }
}
