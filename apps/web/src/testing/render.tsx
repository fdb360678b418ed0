import { cleanup, type RenderResult, render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { MemoryRouter } from 'react-router'
import { afterEach } from 'vitest'
import { TooltipProvider } from '../ui/overlays/tooltip.tsx'
import './patience.ts'

afterEach(cleanup)

/**
 * Renders into a new document for one test, inside a router (starting at `at`) and the provider of tooltips. The test
 * file needs `// @vitest-environment happy-dom` in its first line.
 */
export const renderUi = (element: ReactNode, at = '/'): RenderResult =>
  render(element, {
    wrapper: ({ children }: { children: ReactNode }) => (
      <MemoryRouter initialEntries={[at]}>
        <TooltipProvider>{children}</TooltipProvider>
      </MemoryRouter>
    ),
  })
