import { CircleCheck, CircleHelp, Info, TriangleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { Button } from '../button.tsx'
import { cn } from '../cn.ts'
import { WithCode } from '../code/with-code.tsx'
import { Dialog } from './dialog.tsx'

const kinds = {
  danger: { icon: TriangleAlert, tone: 'bg-danger-soft text-danger-ink', button: 'danger' },
  info: { icon: Info, tone: 'bg-accent-soft text-accent-ink', button: 'primary' },
  neutral: { icon: CircleHelp, tone: 'bg-hover text-ink-2', button: 'inverse' },
  success: { icon: CircleCheck, tone: 'bg-success-soft text-success-ink', button: 'success' },
} as const
export type ConfirmKind = keyof typeof kinds
export const confirmKinds = Object.keys(kinds) as readonly ConfirmKind[]

export type ConfirmDialogProps = {
  open: boolean
  /** Called with false when the dialog should close: on cancel, on dismissal, and when `done` becomes true. */
  onOpenChange: (open: boolean) => void
  /** Runs once after the dialog has closed. */
  onClosed?: () => void
  onConfirm: () => void
  kind?: ConfirmKind
  title: ReactNode
  children: ReactNode
  confirmLabel: string
  cancelLabel?: string
  loading?: boolean
  done?: boolean
  error?: string | undefined
}

/** Asks for confirmation of an important action. Nothing happens until the user presses the confirming button. */
export const ConfirmDialog = ({
  open,
  onOpenChange,
  onClosed,
  onConfirm,
  kind = 'neutral',
  title,
  children,
  confirmLabel,
  cancelLabel = 'Cancel',
  loading = false,
  done = false,
  error,
}: ConfirmDialogProps) => {
  const wasDone = useRef(done)
  useEffect(() => {
    const turned = done && !wasDone.current
    wasDone.current = done
    if (turned) onOpenChange(false)
  }, [done, onOpenChange])
  const { icon: Icon, tone, button } = kinds[kind]
  return (
    <Dialog
      open={open}
      onClose={() => onOpenChange(false)}
      {...(onClosed === undefined ? {} : { onClosed })}
      plain
      size="sm"
      title={
        <span className="flex items-center gap-3">
          <span aria-hidden className={cn('grid size-8 shrink-0 place-items-center rounded-full', tone)}>
            <Icon className="size-4" />
          </span>
          {title}
        </span>
      }
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>{cancelLabel}</Button>
          <Button variant={button} loading={loading} onClick={onConfirm}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      <div className="pl-11 text-sm text-ink-2 max-sm:pl-0">{children}</div>
      {error !== undefined && (
        <p role="alert" className="mt-3 text-xs text-danger-ink sm:pl-11">
          <WithCode text={error} />
        </p>
      )}
    </Dialog>
  )
}
