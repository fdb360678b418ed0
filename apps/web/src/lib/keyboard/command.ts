import { create } from 'zustand'

/** The open keyboard window: the command palette with its text, the list of shortcuts, or none. */
export const useCommand = create<{ open: 'palette' | 'shortcuts' | undefined; text: string }>()(() => ({
  open: undefined,
  text: '',
}))

/** Opens the palette with an empty text, or the list of shortcuts. Closes the other window. */
export const openCommand = (open: 'palette' | 'shortcuts'): void => useCommand.setState({ open, text: '' })

/** Closes the palette or the list of shortcuts. */
export const closeCommand = (): void => useCommand.setState({ open: undefined })

/** Sets the text of the palette. */
export const typeCommand = (text: string): void => useCommand.setState({ text })
