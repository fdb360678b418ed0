// @vitest-environment happy-dom
import { act, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renderUi } from '../../testing/render.tsx'
import { NoticeArea } from './notice-area.tsx'
import { noticeId, noticeTimeout, notify, Toaster } from './toast.tsx'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number): void => {
  act(() => {
    vi.advanceTimersByTime(ms)
  })
}

/** Shows notices in a fresh toast area. */
const show = (notices: () => void): void => {
  renderUi(<NoticeArea theme="light" />)
  act(notices)
  pass(0)
}

const notice = (title: string): HTMLElement | undefined =>
  screen.queryByText(title)?.closest<HTMLElement>('[data-sonner-toast]') ?? undefined

/** Whether a notice is shown and has not begun to disappear. */
const isPresent = (title: string): boolean => {
  const found = notice(title)
  return found !== undefined && found.dataset.removed === 'false'
}

test('a notice disappears after 2500 ms (UI-29)', () => {
  expect(noticeTimeout).toBe(2500)
  show(() => notify('success', 'Source Created'))
  pass(2499)
  expect(isPresent('Source Created')).toBe(true)
  pass(1)
  expect(isPresent('Source Created')).toBe(false)
  pass(500)
  expect(notice('Source Created')).toBeUndefined()
})

test('a notice can have its own duration (UI-30)', () => {
  show(() => notify('success', 'Longer', { timeout: 5000 }))
  pass(4999)
  expect(isPresent('Longer')).toBe(true)
  pass(1)
  expect(isPresent('Longer')).toBe(false)
})

test('UI-31: a notice without a duration stays until it is closed', () => {
  show(() => notify('error', 'Stays', { timeout: false }))
  pass(10 * 60 * 1000)
  expect(isPresent('Stays')).toBe(true)
  act(() => screen.getByRole('button', { name: 'Close toast' }).click())
  pass(500)
  expect(notice('Stays')).toBeUndefined()
})

test('notices have the kinds success, info, error, and warning, each with its own icon (UI-32)', () => {
  const kinds = ['success', 'info', 'error', 'warning'] as const
  show(() => {
    for (const kind of kinds) notify(kind, `A ${kind}`)
  })
  expect(kinds.map((kind) => notice(`A ${kind}`)?.dataset.type)).toEqual([...kinds])
  expect(new Set(kinds.map((kind) => notice(`A ${kind}`)?.querySelector('[data-icon] svg')?.innerHTML)).size).toBe(4)
})

test('UI-33: the IDs of notices are random and have 21 characters', () => {
  const ids = Array.from({ length: 1000 }, noticeId)
  expect(new Set(ids).size).toBe(1000)
  expect(ids.every((id) => id.length === 21)).toBe(true)
})

test('a notice that comes before the toast area is loaded appears afterwards', async () => {
  vi.useRealTimers()
  act(() => notify('info', 'Told early', { timeout: false }))
  renderUi(<Toaster theme="light" />)
  expect(await screen.findByText('Told early')).toBeTruthy()
})

test('a notice is shown as plain text while the code of notices cannot be loaded', async () => {
  vi.useRealTimers()
  vi.resetModules()
  vi.doMock('./notice-area.tsx', () => Promise.reject(new Error('Failed to fetch dynamically imported module')))
  const { notify: notifyAnew, Toaster: Area } = await import('./toast.tsx')
  renderUi(<Area theme="light" />)
  act(() => notifyAnew('error', 'Not saved', { description: 'The server could not be reached' }))
  expect((await screen.findByRole('status')).textContent).toContain('Not savedThe server could not be reached')
  act(() => screen.getByRole('button', { name: 'Close' }).click())
  expect(screen.queryByText('Not saved')).toBeNull()
  vi.doUnmock('./notice-area.tsx')
})
