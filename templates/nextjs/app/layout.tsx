import type { ReactNode } from 'react';

export const metadata = { title: 'Approvals' };

export default function Layout({ children }: { readonly children: ReactNode }) {
  return (
    <html lang="en">
      <body style={{ font: '16px/1.5 system-ui, sans-serif', maxWidth: '42rem', margin: '2rem auto' }}>{children}</body>
    </html>
  );
}
