// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { renderUi } from '../testing/render.tsx'
import { Button, buttonSizes, buttonVariants } from './button.tsx'
import { Spinner, spinnerSizes } from './page/spinner.tsx'

/** The class names of each button, in order. */
const looks = (): string[] => screen.getAllByRole('button').map(({ className }) => className)

test('UI-01: there are eight variants of a button, each with its own appearance', () => {
  expect(buttonVariants).toEqual(['primary', 'secondary', 'inverse', 'danger', 'success', 'warning', 'none', 'link'])
  renderUi(buttonVariants.map((variant) => <Button key={variant} variant={variant} />))
  expect(new Set(looks()).size).toBe(8)
})

test('UI-02: there are four sizes of a button, each with its own height', () => {
  expect(buttonSizes).toEqual(['xs', 'sm', 'md', 'lg'])
  renderUi(buttonSizes.map((size) => <Button key={size} size={size} />))
  expect(looks().map((look) => /(?:^| )h-(\d+)/.exec(look)?.[1])).toEqual(['6', '7', '8', '10'])
})

test('UI-03: a loading button shows a spinner, is busy, and ignores clicks', async () => {
  const onClick = vi.fn()
  renderUi(
    <Button loading onClick={onClick}>
      Save
    </Button>,
  )
  const button = screen.getByRole('button')
  expect(button.querySelector('svg.animate-spin')).not.toBeNull()
  expect(screen.getByRole('status').textContent).toBe('Working')
  expect(button.getAttribute('aria-busy')).toBe('true')
  expect(button).toHaveProperty('disabled', true)
  await userEvent.click(button)
  expect(onClick).not.toHaveBeenCalled()
})

test('UI-04: there are five sizes of a spinner', () => {
  expect(spinnerSizes).toEqual(['xs', 'sm', 'md', 'lg', 'xl'])
  const { container } = renderUi(spinnerSizes.map((size) => <Spinner key={size} size={size} />))
  const found = [...container.querySelectorAll('svg')].map((svg) => svg.getAttribute('class'))
  expect(new Set(found).size).toBe(5)
})
