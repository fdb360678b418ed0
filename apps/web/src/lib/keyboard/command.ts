import { create } from 'zustand'

/** What of the keyboard's own windows is open: the command palette, the list of shortcuts, or neither. */
export const useCommand = create<{ open: 'palette' | 'shortcuts' | undefined }>()(() => ({ open: undefined }))

/** Opens one of them in place of the other. */
export const openCommand = (open: 'palette' | 'shortcuts'): void => useCommand.setState({ open })

/** Closes what is open. */
export const closeCommand = (): void => useCommand.setState({ open: undefined })
