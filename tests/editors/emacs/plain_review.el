;;; Eglot: a fix by a code action, rejected by another, and the decision taken back -*- lexical-binding: t -*-

(let* ((server (kit-start))
       (uri (plist-get (eglot--TextDocumentIdentifier) :uri))
       (place '(:start (:line 1 :character 13) :end (:line 1 :character 20)))
       (actions
        (lambda (diagnostics)
          (append (jsonrpc-request
                   server :textDocument/codeAction
                   `(:textDocument (:uri ,uri) :range ,place :context (:diagnostics ,diagnostics)))
                  nil)))
       (choose
        (lambda (title diagnostics)
          (let (found)
            (kit-wait (lambda ()
                        (setq found (cl-find-if
                                     (lambda (action) (string-search title (plist-get action :title)))
                                     (funcall actions diagnostics))))
                      (concat "the action " title))
            (eglot-execute server found)))))
  (funcall choose "Fix with Bowline"
           (vector `(:range ,place :severity 1
                     :message "cannot find value `hello`, did you mean `world`?")))
  (kit-wait (lambda () (string-search "println!(\"world\");" (buffer-string))) "the fix")
  (kit-check (equal kit-main (kit-disk)) "The disk has the old text" (kit-disk))
  (funcall choose "Reject this change" [])
  (kit-wait (lambda () (equal kit-main (buffer-string))) "it is rejected")
  (funcall choose "Undo the last decision" [])
  (kit-wait (lambda () (string-search "println!(\"world\");" (buffer-string))) "it is back")
  (eglot-shutdown server))
