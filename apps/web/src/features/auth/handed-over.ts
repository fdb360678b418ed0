import { isRecord } from '@tributary/kernel/record'
import { useCallback, useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { codeLifeMs } from './saved-sign-up.ts'

/** An email address to which a code was sent, and when (Unix time in ms). */
export type Sent = { email: string; sentAt: number }

const textIn = (state: unknown, key: string): string | undefined => {
  const value = isRecord(state) ? state[key] : undefined
  return typeof value === 'string' ? value : undefined
}

const sentIn = (state: unknown): Sent | undefined => {
  const sent = isRecord(state) && isRecord(state.sent) ? state.sent : undefined
  const email = textIn(sent, 'email')
  const sentAt = sent?.sentAt
  return email !== undefined && typeof sentAt === 'number' ? { email, sentAt } : undefined
}

/** The email address from the previous page, or from this page's URL; empty if there is none. */
export const useKnownEmail = (): string => {
  const { state } = useLocation()
  const [query] = useSearchParams()
  return textIn(state, 'email') ?? query.get('email') ?? ''
}

/**
 * The email address to which this page sent a code, while the code may be valid. It is stored in the history entry of
 * the page, so that it survives a reload and the Back button; undefined removes it.
 */
export const useSent = (): [sent: Sent | undefined, setSent: (sent: Sent | undefined) => void] => {
  const { state, pathname, search } = useLocation()
  const navigate = useNavigate()
  const setSent = useCallback(
    (sent: Sent | undefined): void => {
      void navigate({ pathname, search }, { replace: true, state: sent === undefined ? null : { sent } })
    },
    [navigate, pathname, search],
  )
  const [opened] = useState(() => Date.now())
  const sent = sentIn(state)
  return [sent !== undefined && opened - sent.sentAt < codeLifeMs ? sent : undefined, setSent]
}
