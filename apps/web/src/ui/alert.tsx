import type { ReactNode } from 'react'

/** An error message below the failed element. Screen readers announce it when it appears. */
export const Alert = ({
  className = 'text-sm break-words',
  children,
}: {
  className?: string | undefined
  children: ReactNode
}) => (
  <p role="alert" className={`${className} text-danger-ink`}>
    {children}
  </p>
)
