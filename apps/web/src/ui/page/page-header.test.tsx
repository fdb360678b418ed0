// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderUi } from '../../testing/render.tsx'
import { PageHeader } from './page-header.tsx'

const crumb = (label: string) => ({ label, to: `/${label.toLowerCase()}` })

test.each([
  [[crumb('Destinations')], 0],
  [[crumb('Destinations'), crumb('Catalog')], 1],
])('parts of a breadcrumb are separated, and nothing follows the last part (%#)', (crumbs, separators) => {
  renderUi(<PageHeader title="Archive" documentTitle="Archive" crumbs={crumbs} />)
  const breadcrumb = screen.getByRole('navigation', { name: 'Breadcrumb' })
  expect(breadcrumb.querySelectorAll('svg')).toHaveLength(separators)
  expect(breadcrumb.querySelector('li:last-child')?.lastElementChild?.tagName).toBe('A')
})

test('the header of a screen links to its documentation in a new tab; if there is no documentation, there is no link', () => {
  renderUi(<PageHeader title="Failures" documentTitle="Failures" />, '/workspaces/1/destinations/2#failures')
  const link = screen.getByRole('link', { name: 'Docs (opens in a new tab)' })
  expect([link.getAttribute('href'), link.getAttribute('target')]).toEqual(['/docs/deliveries#failures', '_blank'])
  cleanup()
  renderUi(<PageHeader title="Welcome" documentTitle="Welcome" />, '/')
  expect(screen.queryByRole('link')).toBeNull()
})
