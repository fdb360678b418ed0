import './ui/theme.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router/dom'
import { queryClient, setNavigator } from './app/query-client.ts'
import { AppBoundary } from './app/route-error.tsx'
import { router } from './app/router.tsx'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no root element')

setNavigator((path) => void router.navigate(path))

createRoot(root).render(
  <StrictMode>
    <AppBoundary>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </AppBoundary>
  </StrictMode>,
)
