import { ImageUp, Trash2 } from 'lucide-react'
import { type DragEvent, useId, useRef, useState } from 'react'
import { failureText } from '../lib/api/errors.ts'
import { imageAccept, imageProblem } from '../lib/browser/image-file.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Button } from '../ui/button.tsx'
import { cn } from '../ui/cn.ts'
import { FieldError } from '../ui/forms/field.tsx'
import { Spinner } from '../ui/page/spinner.tsx'

export type ImageInputProps = {
  label: string
  /** Path or URL of the current image; empty if there is none. */
  image: string
  /** The title whose initials are shown if there is no image. */
  title: string
  round?: 'md' | 'full'
  /** Stores the chosen image, which is shown until the call has ended. Errors are shown below. */
  onPick: (file: File) => Promise<unknown>
  /** Removes the current image. */
  onRemove?: () => Promise<unknown>
  disabled?: boolean
}

const storingLabels = { pick: 'Saving the image', remove: 'Removing the image' } as const

/** Stores or removes an image. Returns which of the two is running, which image is being stored, and the last error. */
const useStoring = ({ onPick }: Pick<ImageInputProps, 'onPick'>) => {
  const [busy, setBusy] = useState<keyof typeof storingLabels | undefined>()
  const [error, setError] = useState<string | undefined>()
  /** The object URL of the image that is being stored. */
  const [local, setLocal] = useState<string | undefined>()
  const run = async (kind: keyof typeof storingLabels, act: () => Promise<unknown>): Promise<void> => {
    setBusy(kind)
    setError(undefined)
    try {
      await act()
    } catch (failure) {
      setError(failureText(failure))
    } finally {
      setBusy(undefined)
    }
  }
  const take = (files: readonly File[]): void => {
    const problem = imageProblem(files)
    setError(problem)
    const [file] = files
    if (problem !== undefined || file === undefined) return
    const address = URL.createObjectURL(file)
    setLocal(address)
    void run('pick', () => onPick(file)).finally(() => {
      setLocal(undefined)
      URL.revokeObjectURL(address)
    })
  }
  return { busy, error, local, run, take }
}

/**
 * An image that is chosen by dialog or dropped: one file of at most 2 MB. An invalid file is reported below and not
 * passed on.
 */
export const ImageInput = ({
  label,
  image,
  title,
  round = 'md',
  onPick,
  onRemove,
  disabled = false,
}: ImageInputProps) => {
  const id = useId()
  const chooser = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const { busy, error, local, run, take } = useStoring({ onPick })
  const locked = disabled || busy !== undefined
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    if (!locked) take([...event.dataTransfer.files])
  }
  return (
    <fieldset className="min-w-0 space-y-1.5">
      <legend className="mb-1.5 text-sm font-medium text-ink">{label}</legend>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- dropping a file does the same as the button */}
      <div
        onDragOver={(event) => {
          event.preventDefault()
          setOver(!locked)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        className={cn(
          'flex flex-wrap items-center gap-4 rounded-lg border border-dashed border-line-strong p-4 transition-colors',
          over && 'border-accent bg-accent-soft',
        )}
      >
        <span className="relative">
          <Avatar title={title} image={local ?? image} round={round} size="md" className="size-16 text-lg" />
          {busy !== undefined && (
            <span className={cn('absolute inset-0 grid place-items-center bg-surface/70', `rounded-${round}`)}>
              <Spinner size="md" label={storingLabels[busy]} />
            </span>
          )}
        </span>
        <div className="min-w-0 flex-1 basis-48 space-y-2">
          <div className="flex flex-wrap gap-2">
            <Button size="sm" disabled={locked} onClick={() => chooser.current?.click()}>
              <ImageUp aria-hidden />
              {image === '' ? 'Upload image' : 'Replace image'}
            </Button>
            {image !== '' && onRemove !== undefined && (
              <Button size="sm" variant="none" disabled={locked} onClick={() => void run('remove', onRemove)}>
                <Trash2 aria-hidden />
                Remove
              </Button>
            )}
          </div>
          <p id={`${id}-hint`} className="text-xs text-ink-3">
            Drop an image here or choose one. JPEG, PNG, or WebP, up to 2 MB.
          </p>
        </div>
        <input
          ref={chooser}
          type="file"
          accept={imageAccept}
          disabled={locked}
          aria-label={label}
          aria-describedby={error === undefined ? `${id}-hint` : `${id}-hint ${id}-error`}
          tabIndex={-1}
          className="sr-only"
          onChange={(event) => {
            if (!locked) take([...(event.target.files ?? [])])
            event.target.value = ''
          }}
        />
      </div>
      <FieldError id={`${id}-error`} message={error} live />
    </fieldset>
  )
}
