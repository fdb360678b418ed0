// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useCallback, useState } from 'react'
import { expect, test, vi } from 'vitest'
import { renderUi } from '../../testing/render.tsx'
import { ConfirmDialog, type ConfirmDialogProps, confirmKinds } from './confirm-dialog.tsx'
import { SlideOver, slideOverSizes } from './slide-over.tsx'

/** A dialog that records when it asks to be closed, and when it has closed. */
const Question = ({ order = [], ...props }: Partial<ConfirmDialogProps> & { order?: string[] }) => {
  const [open, setOpen] = useState(true)
  const change = useCallback(
    (next: boolean): void => {
      order.push(next ? 'open' : 'close')
      setOpen(next)
    },
    [order],
  )
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={change}
      onClosed={() => order.push('closed')}
      onConfirm={() => undefined}
      title="Delete it?"
      confirmLabel="Delete"
      {...props}
    >
      It cannot be undone.
    </ConfirmDialog>
  )
}

test('UI-09: a question has one of four icons, each with its own appearance', () => {
  expect([...confirmKinds].sort()).toEqual(['danger', 'info', 'neutral', 'success'])
  const icons = confirmKinds.map((kind) => {
    const { unmount } = renderUi(<Question kind={kind} />)
    const icon = screen.getByRole('dialog').querySelector('svg')?.getAttribute('class')
    unmount()
    return icon
  })
  expect(new Set(icons).size).toBe(4)
})

test('UI-10: the cancel button of a question is named Cancel unless it has another name', () => {
  const { unmount } = renderUi(<Question />)
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeTruthy()
  unmount()
  renderUi(<Question cancelLabel="Keep it" />)
  expect(screen.queryByRole('button', { name: 'Cancel' })).toBeNull()
  expect(screen.getByRole('button', { name: 'Keep it' })).toBeTruthy()
})

const untilClosed = async (order: readonly string[]): Promise<void> => {
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await waitFor(() => expect(order).toContain('closed'))
}

test('UI-11: Cancel closes the question, and its callback runs once after it has closed', async () => {
  const order: string[] = []
  const onConfirm = vi.fn()
  renderUi(<Question order={order} onConfirm={onConfirm} />)
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  await untilClosed(order)
  expect(order).toEqual(['close', 'closed'])
  expect(onConfirm).not.toHaveBeenCalled()
})

test.each([
  ['Escape', () => userEvent.keyboard('{Escape}')],
  ['a click outside', () => userEvent.click(document.querySelector('.bg-overlay') ?? document.body)],
])('UI-12: %s closes the question, and its callback runs once after it has closed', async (_, dismiss) => {
  const order: string[] = []
  renderUi(<Question order={order} />)
  await dismiss()
  await untilClosed(order)
  expect(order).toEqual(['close', 'closed'])
})

test('UI-13: the question closes when it is done, and its callback runs once after it has closed', async () => {
  const order: string[] = []
  const { rerender } = renderUi(<Question order={order} />)
  expect(screen.getByRole('dialog')).toBeTruthy()
  rerender(<Question order={order} done />)
  await untilClosed(order)
  rerender(<Question order={order} done />)
  expect(order).toEqual(['close', 'closed'])
})

test('UI-14: there are five sizes of a panel, each with its own appearance', () => {
  expect(slideOverSizes).toEqual(['sm', 'md', 'lg', 'xl', 'full'])
  const looks = slideOverSizes.map((size) => {
    const { unmount } = renderUi(<SlideOver open onClose={() => undefined} title="A panel" size={size} />)
    const look = screen.getByRole('dialog', { name: 'A panel' }).className
    unmount()
    return /max-w-\w+/.exec(look)?.[0]
  })
  expect(looks).toEqual(['max-w-sm', 'max-w-lg', 'max-w-3xl', 'max-w-5xl', 'max-w-full'])
})
