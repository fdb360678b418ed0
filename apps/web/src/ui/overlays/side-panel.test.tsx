// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useRef, useState } from 'react'
import { expect, test, vi } from 'vitest'
import { renderUi } from '../../testing/render.tsx'
import { SidePanel } from './side-panel.tsx'

/** Renders a list with a panel beside it, in a wide or a narrow window. */
const show = (wide: boolean): string[] => {
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (media) => Object.assign(new EventTarget(), { matches: wide, media }) as unknown as MediaQueryList,
  )
  const keys: string[] = []
  const Page = () => {
    const [open, setOpen] = useState(false)
    const row = useRef<HTMLButtonElement>(null)
    return (
      <>
        <button ref={row} type="button" onClick={() => setOpen(true)}>
          Row
        </button>
        {open && (
          <SidePanel
            title="Order Completed"
            onClose={() => setOpen(false)}
            onKeyDown={({ key }) => keys.push(key)}
            returnFocus={() => row.current}
            footer={<button type="button">Next</button>}
          >
            Payload
          </SidePanel>
        )}
      </>
    )
  }
  renderUi(<Page />)
  return keys
}

test.each([true, false])(
  'a panel (beside its list: %s) is a dialog that takes the focus, receives keys, and returns the focus',
  async (wide) => {
    const keys = show(wide)
    await userEvent.click(screen.getByRole('button', { name: 'Row' }))
    const dialog = await screen.findByRole('dialog', { name: 'Order Completed' })
    await vi.waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true))
    await userEvent.keyboard('j')
    expect(keys).toEqual(['j'])
    await userEvent.click(screen.getByRole('button', { name: 'Close dialog' }))
    await vi.waitFor(() => expect(document.activeElement?.textContent).toBe('Row'))
    expect(screen.queryByRole('dialog')).toBeNull()
  },
)

test('a panel beside its list leaves the rest of the page usable', async () => {
  show(true)
  await userEvent.click(screen.getByRole('button', { name: 'Row' }))
  screen.getByRole('button', { name: 'Row' }).focus()
  expect(document.activeElement?.textContent).toBe('Row')
  expect(screen.getByRole('dialog').getAttribute('aria-modal')).toBe('false')
})
