// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openInWorkspace, workspaceOn } from '../../testing/page.tsx'
import { UserMenu } from './user-menu.tsx'

test("the user menu shows a placeholder icon while the user's name and photo are missing (UI-08)", async () => {
  const { settled } = openInWorkspace(<UserMenu workspace={workspaceOn('plans/free')} narrow={false} />, {
    answers: (path) => (path === '/users/u1' ? Promise.reject(new TypeError('away')) : undefined),
  })
  await settled()
  expect(screen.getByRole('button', { name: 'User menu' }).querySelector('svg.lucide-user-round')).not.toBeNull()
})
