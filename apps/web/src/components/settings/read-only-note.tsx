import { useMayEdit } from '../../lib/workspace.ts'

/** Shows a guest why the settings below cannot be changed; shows nothing to other users. */
export const ReadOnlyNote = () =>
  useMayEdit() === false && (
    <p className="rounded-lg bg-sunken px-4 py-2.5 text-sm text-ink-2">
      As a guest, you can view these settings. Administrators and collaborators can change them.
    </p>
  )
