// The pages by their addresses. The front page comes with the first load, the others when they are asked for.

import { lazy, type ReactNode, Suspense } from 'react';
import { NotFoundPage } from './pages/NotFoundPage.js';
import { VerifyPage } from './pages/verify/VerifyPage.js';
import { useAddress } from './routing.js';
import { ErrorBoundary } from './ui/ErrorBoundary.js';
import { Layout } from './ui/Layout.js';

const ArtifactPage = lazy(async () => ({ default: (await import('./pages/artifact/ArtifactPage.js')).ArtifactPage }));
const Dashboard = lazy(async () => ({ default: (await import('./pages/dashboard/DashboardPage.js')).Dashboard }));
const LoginPage = lazy(async () => ({ default: (await import('./pages/login/LoginPage.js')).LoginPage }));
const SignupPage = lazy(async () => ({ default: (await import('./pages/login/LoginPage.js')).SignupPage }));
const GalleryPage = lazy(async () => ({ default: (await import('./pages/gallery/GalleryPage.js')).GalleryPage }));
const MarkPage = lazy(async () => ({ default: (await import('./pages/mark/MarkPage.js')).MarkPage }));

const routes: readonly (readonly [RegExp, (part: string) => ReactNode])[] = [
  [/^\/$/, () => <VerifyPage />],
  [/^\/artifacts\/([^/]+)$/, (fingerprint) => <ArtifactPage fingerprint={fingerprint} />],
  [/^\/gallery$/, () => <GalleryPage />],
  [/^\/marks\/([^/]+)$/, (markId) => <MarkPage markId={markId} />],
  [/^\/login$/, () => <LoginPage />],
  [/^\/signup$/, () => <SignupPage />],
  [/^\/dashboard(\/.*)?$/, () => <Dashboard />],
];

export function App() {
  const { pathname } = useAddress();
  return (
    <Layout place={pathname}>
      <ErrorBoundary place={pathname}>
        <Suspense fallback={<p className="quiet">Loading …</p>}>{pageAt(pathname)}</Suspense>
      </ErrorBoundary>
    </Layout>
  );
}

function pageAt(pathname: string): ReactNode {
  for (const [pattern, page] of routes) {
    const match = pattern.exec(pathname);
    if (match) return page(match[1] ?? '');
  }
  return <NotFoundPage />;
}
