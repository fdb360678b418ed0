import { useState } from 'react'

/** The state of a dialog that is open from the start: its props, and the function that closes it. */
export const useOpened = (onClosed: () => void) => {
  const [open, setOpen] = useState(true)
  const close = (): void => setOpen(false)
  return { close, dialog: { open, onClose: close, onClosed } }
}
