// The pages by their addresses. All but the front page load on demand.

import { lazy, Suspense } from 'preact/compat';
import * as texts from '#texts/site/layout';
import { NotFoundPage } from './pages/NotFoundPage.js';
import { VerifyPage } from './pages/verify/VerifyPage.js';
import { type Routes, renderRoute, useCurrentUrl } from './routing.js';
import * as basics from './ui/layout/basics.module.css';
import { ErrorBoundary } from './ui/layout/ErrorBoundary.js';
import { Layout } from './ui/layout/Layout.js';

const ArtifactPage = lazy(async () => ({ default: (await import('./pages/artifact/ArtifactPage.js')).ArtifactPage }));
const DashboardPage = lazy(async () => ({
  default: (await import('./pages/dashboard/DashboardPage.js')).DashboardPage,
}));
const LoginPage = lazy(async () => ({ default: (await import('./pages/login/LoginPage.js')).LoginPage }));
const SignupPage = lazy(async () => ({ default: (await import('./pages/login/SignupPage.js')).SignupPage }));
const ForgotPasswordPage = lazy(async () => ({
  default: (await import('./pages/login/ForgotPasswordPage.js')).ForgotPasswordPage,
}));
const ResetPasswordPage = lazy(async () => ({
  default: (await import('./pages/login/ResetPasswordPage.js')).ResetPasswordPage,
}));
const VerifyEmailPage = lazy(async () => ({
  default: (await import('./pages/login/VerifyEmailPage.js')).VerifyEmailPage,
}));
const InvitationPage = lazy(async () => ({
  default: (await import('./pages/invitation/InvitationPage.js')).InvitationPage,
}));
const GalleryPage = lazy(async () => ({ default: (await import('./pages/gallery/GalleryPage.js')).GalleryPage }));
const HowItWorksPage = lazy(async () => ({ default: (await import('./pages/home/HowItWorksPage.js')).HowItWorksPage }));
const FaqPage = lazy(async () => ({ default: (await import('./pages/home/FaqPage.js')).FaqPage }));
const ContactSheetPage = lazy(async () => ({
  default: (await import('./pages/contactSheet/ContactSheetPage.js')).ContactSheetPage,
}));
const ContractPage = lazy(async () => ({ default: (await import('./pages/contract/ContractPage.js')).ContractPage }));
const LogPage = lazy(async () => ({ default: (await import('./pages/log/LogPage.js')).LogPage }));
const MarkPage = lazy(async () => ({ default: (await import('./pages/mark/MarkPage.js')).MarkPage }));

const routes: Routes = [
  [/^\/$/, () => <VerifyPage />],
  [/^\/artifacts\/([^/]+)$/, (fingerprint) => <ArtifactPage fingerprint={fingerprint} />],
  [/^\/gallery$/, () => <GalleryPage />],
  [/^\/marks\/([^/]+)$/, (markId) => <MarkPage markId={markId} />],
  [/^\/contract$/, () => <ContractPage />],
  [/^\/log$/, () => <LogPage />],
  [/^\/how-it-works$/, () => <HowItWorksPage />],
  [/^\/faq$/, () => <FaqPage />],
  [/^\/contact-sheet$/, () => <ContactSheetPage />],
  [/^\/login$/, () => <LoginPage />],
  [/^\/signup$/, () => <SignupPage />],
  [/^\/forgot-password$/, () => <ForgotPasswordPage />],
  [/^\/reset-password$/, () => <ResetPasswordPage />],
  [/^\/verify-email$/, () => <VerifyEmailPage />],
  [/^\/invitation$/, () => <InvitationPage />],
  [/^\/dashboard(\/.*)?$/, () => <DashboardPage />],
];

export function App() {
  const { pathname } = useCurrentUrl();
  return (
    <Layout pathname={pathname}>
      <ErrorBoundary pathname={pathname}>
        <Suspense fallback={<p className={basics.quiet}>{texts.loading}</p>}>
          {renderRoute(routes, pathname) ?? <NotFoundPage />}
        </Suspense>
      </ErrorBoundary>
    </Layout>
  );
}
