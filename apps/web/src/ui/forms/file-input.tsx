/** An input for a text file of the device. `onFile` receives the file, or undefined if the user removes the choice. */
export const FileInput = ({
  label,
  accept = '.txt,.csv,text/plain,text/csv',
  onFile,
}: {
  label: string
  /** The kinds of files that the browser offers. */
  accept?: string
  onFile: (file: File | undefined) => void
}) => (
  <input
    type="file"
    accept={accept}
    aria-label={label}
    className="block w-full text-xs text-ink-2 file:mr-3 file:h-7 file:rounded-md file:border file:border-line-strong file:bg-surface file:px-2.5 file:text-xs file:font-medium file:text-ink"
    onChange={({ target }) => onFile(target.files?.[0])}
  />
)
