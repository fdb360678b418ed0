import type { ReactNode } from 'react'
import { Card } from '../../ui/card.tsx'

/** A titled section of the gallery with examples side by side. */
export const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <Card title={title}>
    <div className="flex flex-wrap items-center gap-3">{children}</div>
  </Card>
)
