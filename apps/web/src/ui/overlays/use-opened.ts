import { useState } from 'react'

/** Returns the state of a dialog that is open when it is mounted: its props, and a function that closes it. */
export const useOpened = (onClosed: () => void) => {
  const [open, setOpen] = useState(true)
  const close = (): void => setOpen(false)
  return { close, dialog: { open, onClose: close, onClosed } }
}
