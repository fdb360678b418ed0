// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { openInWorkspace } from '../testing/page.tsx'
import { HeldWorkCard } from './held-work-card.tsx'

const row = (title: string, more: object = {}) => ({
  name: `workspaces/w/heldWork/${title.toLowerCase()}`,
  kind: 'event' as const,
  title,
  target: '',
  workspace_title: 'Shop',
  reason: `It stopped the thread delivery at the step of ${title}`,
  times: 2,
  last_time: '2026-03-04T05:06:07.000Z',
  hold_time: '2026-03-04T05:06:08.000Z',
  releases: 0,
  release_time: null,
  ...more,
})

test('work that is set aside is shown with its reason, and an administrator can retry it', async () => {
  const asked: string[] = []
  const { settled } = openInWorkspace(
    <HeldWorkCard rows={[row('First', { target: 'workspaces/w/destinations/d' }), row('Second')]} mayRelease />,
    {
      answers: (path) => {
        if (!path.includes('/heldWork/')) return undefined
        asked.push(path)
        return Response.json({})
      },
    },
  )
  await settled()
  expect(screen.getByText('It stopped the thread delivery at the step of First')).toBeTruthy()
  expect(screen.getAllByText(/^2 times, set aside/)).toHaveLength(2)
  expect(screen.getByRole('link', { name: 'First' }).getAttribute('href')).toBe('/workspaces/w/destinations/d')
  expect(screen.queryByText(/Shop/)).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Try Second again' }))
  await settled()
  expect(asked).toEqual(['/workspaces/w/heldWork/second:release'])
})

test('an item that was retried too often, or that waits for another item, shows when it can be retried, and its button is disabled', async () => {
  const later = new Date(Date.now() + 5 * 3_600_000).toISOString()
  const { settled } = openInWorkspace(
    <HeldWorkCard
      rows={[row('First', { releases: 3, release_time: later }), row('Second', { releases: 1 })]}
      mayRelease
    />,
    { answers: () => undefined },
  )
  await settled()
  expect(screen.getByText(/retried 3 of 3 times in 24 hours/).textContent).toMatch(/Can be retried in [45] h/)
  expect(screen.getByText(/retried 1 of 3 times in 24 hours/)).toBeTruthy()
  const isDisabled = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name }).disabled
  expect([isDisabled('Try First again'), isDisabled('Try Second again')]).toEqual([true, false])
})

test('users without the permission see the work without the button, and work without a workspace shows the command', async () => {
  const { settled } = openInWorkspace(
    <>
      <HeldWorkCard rows={[row('First')]} mayRelease={false} />
      <HeldWorkCard rows={[row('Call of users.login', { name: '', workspace_title: '' })]} mayRelease showsWorkspace />
    </>,
    { answers: () => undefined },
  )
  await settled()
  expect(screen.queryByRole('button', { name: /^Try/ })).toBeNull()
  expect(screen.getByText('npm run set-aside')).toBeTruthy()
})

test('there is no card if nothing is set aside', async () => {
  const { settled } = openInWorkspace(<HeldWorkCard rows={[]} mayRelease />, { answers: () => undefined })
  await settled()
  expect(screen.queryByText('Set aside')).toBeNull()
})
