// @vitest-environment happy-dom

import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { renderUi } from '../../testing/render.tsx'
import { BarChart } from './bar-chart.tsx'
import { BarTable } from './bar-table.tsx'
import type { BarChartProps } from './chart-parts.ts'

const chart: BarChartProps = {
  label: 'Events received by day',
  buckets: ['20240201', '20240202', '20240203'],
  parts: [
    { title: 'Compatible', tone: 'success', values: [4, 0, 3] },
    { title: 'Incompatible', tone: 'danger', values: [1, 0, 2] },
  ],
  previous: { title: 'Previous 3 days', values: [7, 8, 9] },
}
const slider = () => screen.getByRole('slider', { name: 'Events received by day' })
const words = () => slider().getAttribute('aria-valuetext')

test('the arrow keys, Home, and End move along the bars, and their values are shown; Escape hides the values', async () => {
  renderUi(<BarChart {...chart} />)
  await userEvent.tab()
  expect(document.activeElement).toBe(slider())
  expect(words()).toBe('Sat, Feb 3, 2024: Compatible 3, Incompatible 2, Previous 3 days 9')
  await userEvent.keyboard('{ArrowLeft}')
  expect(words()).toBe('Fri, Feb 2, 2024: Compatible 0, Incompatible 0, Previous 3 days 8')
  await userEvent.keyboard('{Home}{ArrowLeft}')
  expect(words()).toContain('Thu, Feb 1, 2024')
  expect(screen.getByText('Total').nextSibling?.textContent).toBe('5')
  await userEvent.keyboard('{End}')
  expect(words()).toContain('Sat, Feb 3, 2024')
  await userEvent.keyboard('{Escape}')
  expect(screen.queryByText('Total')).toBeNull()
})

test('Enter and a mouse click open the hour or day; a touch only shows its values', async () => {
  const opened: string[] = []
  renderUi(<BarChart {...chart} onPick={(bucket) => opened.push(bucket)} />)
  await userEvent.tab()
  await userEvent.keyboard('{ArrowLeft}{Enter}')
  expect(opened).toEqual(['20240202'])
  slider().getBoundingClientRect = () => DOMRect.fromRect({ x: 0, y: 0, width: 300, height: 100 })
  fireEvent.pointerUp(slider(), { pointerType: 'touch', button: 0, clientX: 10 })
  expect(opened).toHaveLength(1)
  fireEvent.pointerUp(slider(), { pointerType: 'mouse', button: 0, clientX: 10 })
  expect(opened).toEqual(['20240202', '20240201'])
})

test('bars are as high as their values, on a scale that ends at a round number', async () => {
  renderUi(<BarChart {...chart} />)
  // The sizes of texts are measured in a separate element before the bars are drawn.
  await waitFor(() => expect(document.querySelectorAll('rect')).toHaveLength(4))
  expect(screen.getAllByText('10').length).toBeGreaterThan(0)
  const bars = [...document.querySelectorAll('rect')].map((bar) => ({
    tone: bar.getAttribute('class')?.split(' ')[0],
    high: Math.round((Number(bar.getAttribute('height')) / 176) * 10),
  }))
  expect(bars).toEqual([
    { tone: 'fill-success', high: 4 },
    { tone: 'fill-success', high: 3 },
    { tone: 'fill-danger', high: 1 },
    { tone: 'fill-danger', high: 2 },
  ])
  expect(screen.getByText('Feb 1')).toBeTruthy()
})

test('a masked chart keeps the shape of the bars and hides values and axes', async () => {
  renderUi(
    <>
      <BarChart {...chart} masked />
      <BarTable {...chart} masked />
    </>,
  )
  await waitFor(() => expect(document.querySelectorAll('rect')).toHaveLength(4))
  expect(screen.queryByText('Feb 1')).toBeNull()
  expect(screen.queryByText('10')).toBeNull()
  await userEvent.tab()
  expect(words()).toBe('Sat, Feb 3, 2024: hidden')
  const cells = within(screen.getByRole('table')).getAllByRole('cell')
  expect(new Set(cells.map(({ textContent }) => textContent))).toEqual(new Set(['••••']))
})

test('the table has every hour or day with its parts, their sum, and the previous period', () => {
  renderUi(<BarTable {...chart} />)
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    'Time (UTC)',
    'Compatible',
    'Incompatible',
    'Total',
    'Previous 3 days',
  ])
  expect(screen.getAllByRole('row').map(({ textContent }) => textContent)[1]).toBe('Thu, Feb 1, 20244157')
})

test('the slider shows the values before the bars are drawn, and each axis labels about six of many positions', async () => {
  const hours = Array.from({ length: 24 }, (_, hour) => `20240201${String(hour).padStart(2, '0')}`)
  renderUi(<BarChart label="By hour" buckets={hours} parts={[{ title: 'Events', tone: 'accent', values: [0, 1] }]} />)
  const slider = screen.getByRole('slider', { name: 'By hour' })
  await userEvent.tab()
  await userEvent.keyboard('{Home}{ArrowRight}')
  expect(slider.getAttribute('aria-valuetext')).toContain('Events 1')
  await waitFor(() => expect(document.querySelectorAll('.visx-axis-bottom text')).toHaveLength(6))
  expect([...document.querySelectorAll('.visx-axis-left text')].map(({ textContent }) => textContent)).toEqual([
    '0',
    '1',
    '2',
  ])
})
