import { create } from 'zustand'

/** True if the dialog for inviting people is open: several places open the dialog in the frame. */
export const useInvite = create<{ open: boolean }>()(() => ({ open: false }))

/** Opens the window. */
export const openInvite = (): void => useInvite.setState({ open: true })

/** Closes it. */
export const closeInvite = (): void => useInvite.setState({ open: false })
