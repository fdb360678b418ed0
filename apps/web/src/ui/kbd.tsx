import { cn } from './cn.ts'

/** A key to press, as it is labeled on the keyboard. */
export const Kbd = ({ children, className }: { children: string; className?: string }) => (
  <kbd
    className={cn(
      'inline-grid h-5 min-w-5 shrink-0 place-items-center rounded-sm border border-line-strong bg-canvas px-1 font-sans text-2xs font-medium whitespace-nowrap text-ink-2',
      className,
    )}
  >
    {children}
  </kbd>
)
