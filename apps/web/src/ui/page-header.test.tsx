// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderUi } from '../testing/render.tsx'
import { PageHeader } from './page-header.tsx'

const crumb = (label: string) => ({ label, to: `/${label.toLowerCase()}` })

test.each([
  [[crumb('Destinations')], 0],
  [[crumb('Destinations'), crumb('Catalog')], 1],
])('places of a breadcrumb are parted, and nothing stands behind the last one (%#)', (crumbs, separators) => {
  renderUi(<PageHeader title="Archive" documentTitle="Archive" crumbs={crumbs} />)
  const breadcrumb = screen.getByRole('navigation', { name: 'Breadcrumb' })
  expect(breadcrumb.querySelectorAll('svg')).toHaveLength(separators)
  expect(breadcrumb.querySelector('li:last-child')?.lastElementChild?.tagName).toBe('A')
})
